import type { ObjectKind } from "@/lib/core/api/change";
import { countingHash } from "@/lib/core/counting-hash";
import { AppError } from "@/lib/core/errors";
import { fieldErrors } from "@/lib/core/parse";
import { revisionHash } from "@/lib/core/revision-hash";
import { type Body, BodySchema } from "@/lib/core/ruleset";
import { type Content, objectName, objectsOf } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { slotsFor } from "@/lib/db/slots";
import { revisionHeads, revisionsOfVersion } from "@/lib/db/versions";
import { actorName, type Ctx } from "./context";
import type { LoadedVersion } from "./live-version";

type Item = { kind: ObjectKind; objectId: string; revision: number };

/**
 * Gives every object of the content its revision: the live one where it is unchanged, an earlier one where it is
 * what it was then, else a new one. And every rule its slot. Under the installation's lock.
 */
export async function writeRevisions(
  ctx: Ctx,
  tx: Tx,
  { live, content }: { live: LoadedVersion | null; content: Content },
): Promise<{ body: Body; items: Item[] }> {
  const objects = objectsOf(content).map((object) => ({
    ...object,
    hash: revisionHash(object.body),
  }));
  const liveHashes = new Map(
    live === null
      ? []
      : objectsOf(live.content).map((object) => [objectName(object), revisionHash(object.body)]),
  );
  const liveRevisions = live === null ? new Map() : await revisionsOfVersion(tx, live.version);
  const changed = objects.filter((object) => liveHashes.get(objectName(object)) !== object.hash);
  const slots = await slotsOf(tx, content);
  const numbers = new Map<string, number>();
  const heads = await revisionHeads(
    tx,
    changed.map(({ kind, id }) => ({ kind, objectId: id })),
  );
  const made: Parameters<Tx["revision"]["createMany"]>[0]["data"] & unknown[] = [];
  for (const { kind, id, body, hash } of changed) {
    const known = heads.filter((head) => head.kind === kind && head.objectId === id);
    const same = known.find((head) => head.hash === hash);
    const n = same?.n ?? Math.max(0, ...known.map((head) => head.n)) + 1;
    numbers.set(objectName({ kind, id }), n);
    if (same !== undefined) continue;
    const slot = kind === "rule" ? slots.get(id) : undefined;
    made.push({
      kind,
      objectId: id,
      n,
      body: jsonColumn(body),
      hash,
      slot: slot === undefined ? null : BigInt(slot),
      actor: actorName(ctx.actor),
    });
  }
  if (made.length > 0) await tx.revision.createMany({ data: made });
  const revisionOf = (object: { kind: ObjectKind; id: string }): number => {
    const name = objectName(object);
    const revision = numbers.get(name) ?? liveRevisions.get(name);
    if (revision === undefined) throw new Error(`${name} has no revision`);
    return revision;
  };
  return {
    body: bodyOf(content, slots, revisionOf),
    items: objects.map(({ kind, id }) => ({
      kind,
      objectId: id,
      revision: revisionOf({ kind, id }),
    })),
  };
}

async function slotsOf(tx: Tx, content: Content): Promise<Map<string, number>> {
  const wanted = content.rules.map((rule) => ({
    ruleId: rule.id,
    countingHash: countingHash(rule),
  }));
  const slots = await slotsFor(tx, wanted);
  return new Map(wanted.map(({ ruleId }, i) => [ruleId, slots[i] ?? 0]));
}

function bodyOf(
  content: Content,
  slots: ReadonlyMap<string, number>,
  revisionOf: (object: { kind: ObjectKind; id: string }) => number,
): Body {
  const { rules, ...rest } = content;
  const result = BodySchema.safeParse({
    ...rest,
    rules: rules.map((rule) => ({
      id: rule.id,
      live: { revision: revisionOf({ kind: "rule", id: rule.id }), slot: slots.get(rule.id), rule },
    })),
  });
  if (result.success) return result.data;
  const errors = fieldErrors(result.error);
  throw new AppError(
    "invalid",
    `the ruleset is not valid: ${errors[0]?.path}: ${errors[0]?.message}`,
    {
      errors,
    },
  );
}
