import { z } from "zod";
import type { OverrideRestore } from "@/lib/core/api/versions";
import { ClientIdSchema } from "@/lib/core/client-id";
import { AmountSchema, amountWords } from "@/lib/core/limit";
import { canonicalJson } from "@/lib/core/revision-hash";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import { overrideTrouble } from "./override-row";

/** An override as it was, or is. */
const StateSchema = z.object({
  client: ClientIdSchema,
  rule: z.string(),
  limit: AmountSchema,
  owner: z.string(),
  reason: z.string(),
  expiresAt: z.iso.datetime({ offset: true }),
});

export type OverrideState = z.output<typeof StateSchema>;

export type RestoreStep = {
  op: OverrideRestore["changes"][number]["op"];
  /** Of the override that is there now; null for one that is given anew. */
  id: string | null;
  before: OverrideState | null;
  after: OverrideState | null;
};

/** The end of a version's last time in force: when the next one was made; now for the live one. */
export async function lastInForce(reader: Reader, number: number, nowMs: number): Promise<Date> {
  const next = await reader.version.findFirst({
    where: { number: { gt: number } },
    orderBy: { number: "asc" },
    select: { createdAt: true },
  });
  return next?.createdAt ?? new Date(nowMs);
}

/**
 * What brings the overrides back to how they were at that moment, for the rules of `content`. One that has expired since
 * is never revived, and what gateways would pass over is left out.
 */
export async function restoreSteps(
  reader: Reader,
  { at, content, nowMs }: { at: Date; content: Content; nowMs: number },
): Promise<RestoreStep[]> {
  const now = new Date(nowMs);
  const isUsable = (state: OverrideState) =>
    Date.parse(state.expiresAt) > nowMs &&
    overrideTrouble({ ...state, ruleId: state.rule }, content) === null;
  const then = new Map(
    (await overridesAt(reader, at)).filter(isUsable).map((state) => [keyOf(state), state]),
  );
  const present = await reader.override.findMany({
    where: { endedAt: null, expiresAt: { gt: now } },
    orderBy: { id: "asc" },
  });
  const steps: RestoreStep[] = [];
  for (const row of present) {
    const before = stateOf(row);
    const after = then.get(keyOf(before)) ?? null;
    then.delete(keyOf(before));
    if (after === null) steps.push({ op: "end", id: row.id, before, after });
    else if (canonicalJson(comparedOf(before)) !== canonicalJson(comparedOf(after)))
      steps.push({ op: "change", id: row.id, before, after });
  }
  for (const after of then.values()) steps.push({ op: "give", id: null, before: null, after });
  return steps;
}

/** For people and the API: a sentence a step. */
export function restoreWords({ op, before, after }: RestoreStep) {
  const { client, rule } = before ?? after ?? { client: "", rule: "" };
  const words = {
    give: `${client} gets ${after && amountWords(after.limit)} of rule ${rule} again`,
    change: `${client}: rule ${rule} ${before && amountWords(before.limit)} → ${after && amountWords(after.limit)}`,
    end: `${client} loses ${before && amountWords(before.limit)} of rule ${rule}`,
  };
  return { op, client, rule, sentence: words[op] };
}

async function overridesAt(reader: Reader, at: Date): Promise<OverrideState[]> {
  const rows = await reader.override.findMany({
    where: { createdAt: { lte: at }, OR: [{ endedAt: null }, { endedAt: { gt: at } }] },
    orderBy: { id: "asc" },
  });
  // The first change since then says what it was before that.
  const changes = await reader.audit.findMany({
    where: { kind: "override", at: { gt: at }, objectId: { in: rows.map(({ id }) => id) } },
    orderBy: { id: "asc" },
    select: { objectId: true, before: true },
  });
  const first = new Map<string, unknown>();
  for (const { objectId, before } of changes) if (!first.has(objectId)) first.set(objectId, before);
  return rows.flatMap((row) => {
    const was = StateSchema.safeParse(first.get(row.id));
    const state = was.success ? was.data : stateOf(row);
    return Date.parse(state.expiresAt) > at.getTime() ? [state] : [];
  });
}

type Row = {
  client: string;
  ruleId: string;
  limit: unknown;
  owner: string;
  reason: string;
  expiresAt: Date;
};

function stateOf({ client, ruleId, limit, owner, reason, expiresAt }: Row): OverrideState {
  return StateSchema.parse({
    client,
    rule: ruleId,
    limit,
    owner,
    reason,
    expiresAt: expiresAt.toISOString(),
  });
}

function keyOf({ client, rule }: OverrideState): string {
  return `${client} ${rule}`;
}

function comparedOf({ limit, expiresAt }: OverrideState) {
  return { limit, expiresAt: Date.parse(expiresAt) };
}
