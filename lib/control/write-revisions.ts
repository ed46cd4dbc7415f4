import type { ObjectKind } from "@/lib/core/api/change";
import { AppError } from "@/lib/core/errors";
import { fieldErrors } from "@/lib/core/parse";
import { revisionHash } from "@/lib/core/revision-hash";
import { type Body, BodySchema } from "@/lib/core/ruleset";
import { type Content, objectsOf, type RulesetObject } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { revisionHeads, revisionsOfVersion } from "@/lib/db/versions";
import { actorName, type Ctx } from "./context";
import type { LoadedVersion } from "./live-version";
import { type RuleSlots, ruleSlots } from "./rule-slots";

type Lane = "live" | "candidate";
type Item = { kind: ObjectKind; objectId: string; revision: number; lane: Lane };

/** What has a revision: a candidate is one of its rule, in a lane of its own; its share is the version's. */
type Revised = {
  name: string;
  kind: ObjectKind;
  id: string;
  lane: Lane;
  body: unknown;
  hash: string;
};

/**
 * Gives every object of the content its revision: the live one where it is unchanged, an earlier one where it is
 * what it was then, else a new one. And every rule its slot. Under the installation's lock.
 */
export async function writeRevisions(
  ctx: Ctx,
  tx: Tx,
  { live, content, version }: { live: LoadedVersion | null; content: Content; version: number },
): Promise<{ body: Body; items: Item[] }> {
  const objects = objectsOf(content).map(revised);
  const liveHashes = new Map(
    live === null
      ? []
      : objectsOf(live.content)
          .map(revised)
          .map(({ name, hash }) => [name, hash]),
  );
  const liveRevisions = live === null ? new Map() : await revisionsOfVersion(tx, live.version);
  const changed = objects.filter(({ name, hash }) => liveHashes.get(name) !== hash);
  const slots = await ruleSlots(tx, { live: live?.body ?? null, content, version });
  const numbers = new Map<string, number>();
  const heads = await revisionHeads(
    tx,
    changed.map(({ kind, id }) => ({ kind, objectId: id })),
  );
  const made: Parameters<Tx["revision"]["createMany"]>[0]["data"] & unknown[] = [];
  for (const { name, kind, id, lane, body, hash } of changed) {
    const known = heads.filter((head) => head.kind === kind && head.objectId === id);
    const same = known.find((head) => head.hash === hash);
    const n = same?.n ?? Math.max(0, ...known.map((head) => head.n)) + 1;
    numbers.set(name, n);
    if (same !== undefined) continue;
    // A rule and its candidate may both be new.
    heads.push({ kind, objectId: id, n, hash });
    const slot = kind === "rule" ? slots.get(`${lane} ${id}`) : undefined;
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
  const revisionOf = (name: string): number => {
    const revision = numbers.get(name) ?? liveRevisions.get(name);
    if (revision === undefined) throw new Error(`${name} has no revision`);
    return revision;
  };
  return {
    body: bodyOf(content, slots, revisionOf),
    items: objects.map(({ name, kind, id, lane }) => ({
      kind,
      objectId: id,
      revision: revisionOf(name),
      lane,
    })),
  };
}

function revised(object: RulesetObject): Revised {
  const { kind, id } = object;
  const name = `${kind} ${id}`;
  if (object.kind === "candidate") {
    const { rule } = object.body;
    return { name, kind: "rule", id, lane: "candidate", body: rule, hash: revisionHash(rule) };
  }
  return { name, kind, id, lane: "live", body: object.body, hash: revisionHash(object.body) };
}

function bodyOf(content: Content, slots: RuleSlots, revisionOf: (name: string) => number): Body {
  const { rules, candidates, ...rest } = content;
  const tried = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const entryOf = (lane: Lane, rule: (typeof rules)[number]) => ({
    revision: revisionOf(`${lane === "live" ? "rule" : lane} ${rule.id}`),
    slot: slots.get(`${lane} ${rule.id}`),
    rule,
  });
  const result = BodySchema.safeParse({
    ...rest,
    rules: rules.map((rule) => {
      const candidate = tried.get(rule.id);
      return {
        id: rule.id,
        live: entryOf("live", rule),
        ...(candidate !== undefined && {
          candidate: entryOf("candidate", candidate.rule),
          share: candidate.share,
        }),
      };
    }),
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
