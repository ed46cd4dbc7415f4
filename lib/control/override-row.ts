import type { OverrideRow } from "@/lib/core/api/overrides";
import { ClientIdSchema } from "@/lib/core/client-id";
import { AmountSchema, amountWords } from "@/lib/core/limit";
import { limitWords } from "@/lib/core/limit-words";
import { overrideMisfit } from "@/lib/core/override-subject";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";

export type StoredOverride = NonNullable<Awaited<ReturnType<Reader["override"]["findUnique"]>>>;

/** An override as people see it, judged against the rules that are live. */
export function overrideRow(
  row: StoredOverride,
  { rules, settings }: Pick<Content, "rules" | "settings">,
  nowMs: number,
): OverrideRow {
  const limit = AmountSchema.parse(row.limit);
  const client = ClientIdSchema.parse(row.client);
  const rule = rules.find(({ id }) => id === row.ruleId);
  const misfit =
    rule === undefined
      ? { message: `there is no rule ${row.ruleId}` }
      : overrideMisfit(rule, { client, limit }, settings);
  const current = misfit === null ? "active" : "ignored";
  const state =
    row.endedAt !== null ? "ended" : row.expiresAt.getTime() <= nowMs ? "expired" : current;
  return {
    id: row.id,
    client,
    rule: row.ruleId,
    limit,
    words:
      rule === undefined || misfit !== null ? amountWords(limit) : limitWords(rule.limit, limit),
    owner: row.owner,
    reason: row.reason,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    state,
    why: state === "ignored" ? (misfit?.message ?? "") : "",
  };
}
