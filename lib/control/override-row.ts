import { compareAmounts } from "@/lib/core/amount-compare";
import type { OverrideRow } from "@/lib/core/api/overrides";
import { ClientIdSchema } from "@/lib/core/client-id";
import { type Amount, AmountSchema, amountFor, amountWords } from "@/lib/core/limit";
import { planLimit } from "@/lib/core/limit-sentence";
import { limitWords } from "@/lib/core/limit-words";
import { overrideMisfit } from "@/lib/core/override-subject";
import type { Rule } from "@/lib/core/rule";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import { factsOfClients } from "./client-facts";

export type StoredOverride = NonNullable<Awaited<ReturnType<Reader["override"]["findUnique"]>>>;

/** Overrides as people see them, judged against the rules that are live. */
export async function overrideRows(
  reader: Reader,
  rows: readonly StoredOverride[],
  { content, nowMs }: { content: Content; nowMs: number },
): Promise<OverrideRow[]> {
  const clients = rows.map(({ client }) => client);
  const factsOf = await factsOfClients(reader, clients, content);
  return rows.map((row) => {
    const { misfit, limit, rule } = judge(row, content);
    const clientFacts = factsOf(row.client);
    const isUsed = misfit === null && rule !== undefined;
    const isOfKeys = row.client.startsWith("ip:") && !!rule && countsByKey(rule);
    const current = misfit === null ? "active" : "ignored";
    const state =
      row.endedAt !== null ? "ended" : row.expiresAt.getTime() <= nowMs ? "expired" : current;
    return {
      id: row.id,
      client: row.client,
      clientFacts,
      rule: row.ruleId,
      ruleName: rule?.name ?? "",
      limit,
      words: isUsed ? limitWords(rule.limit, limit) : amountWords(limit),
      ...(isUsed && !isOfKeys ? beside(rule, limit, clientFacts.plan) : NOT_COMPARED),
      owner: row.owner,
      reason: row.reason,
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      endedAt: row.endedAt?.toISOString() ?? null,
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
      state,
      why: state === "ignored" ? (misfit ?? "") : "",
    };
  });
}

export async function overrideRow(
  reader: Reader,
  row: StoredOverride,
  at: { content: Content; nowMs: number },
): Promise<OverrideRow> {
  const [made] = await overrideRows(reader, [row], at);
  if (made === undefined) throw new Error("one row gives one row");
  return made;
}

/** Why gateways pass it over; null when they use it. */
export function overrideTrouble(
  row: Pick<StoredOverride, "client" | "ruleId" | "limit">,
  content: Pick<Content, "rules" | "settings">,
): string | null {
  return judge(row, content).misfit;
}

function judge(
  row: Pick<StoredOverride, "client" | "ruleId" | "limit">,
  { rules, settings }: Pick<Content, "rules" | "settings">,
): { misfit: string | null; limit: Amount; rule: Rule | undefined } {
  const limit = AmountSchema.parse(row.limit);
  const client = ClientIdSchema.parse(row.client);
  const rule = rules.find(({ id }) => id === row.ruleId);
  const misfit =
    rule === undefined
      ? `there is no rule ${row.ruleId}`
      : (overrideMisfit(rule, { client, limit }, settings)?.message ?? null);
  return { misfit, limit, rule };
}

const NOT_COMPARED = { planWords: "", change: null };

/** Then an address's override holds for keys of any plan that come from there. */
function countsByKey({ countBy }: Rule): boolean {
  return countBy.includes("apiKey") || countBy.includes("customer");
}

function beside(
  rule: Rule,
  limit: Amount,
  plan: string,
): Pick<OverrideRow, "planWords" | "change"> {
  const { words, from } = planLimit(rule, plan);
  if (from === "not matched") return { planWords: from, change: null };
  const { direction, factor, words: change } = compareAmounts(amountFor(rule.limit, plan), limit);
  return {
    planWords: words,
    change: { direction, factor: Number.isFinite(factor) ? factor : null, words: change },
  };
}
