import { compareAmounts } from "@/lib/core/amount-compare";
import type { OverrideWrite } from "@/lib/core/api/overrides";
import { AppError } from "@/lib/core/errors";
import { AmountSchema, amountFor } from "@/lib/core/limit";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import { factsOfClients } from "./client-facts";
import type { StoredOverride } from "./override-row";

const RAISE_HOURS_MAX = 24;
const HOUR_MS = 3_600_000;

type Known = Pick<StoredOverride, "limit" | "expiresAt"> | null;

/**
 * Throws `forbidden` unless the override only lets the client do more, for a day at most: what support may do. One
 * that is there already may be raised and prolonged, never lowered or cut short.
 */
export async function requireRaise(
  tx: Tx,
  { client, rule: ruleId, limit, expiresAt }: OverrideWrite,
  { content, known, nowMs }: { content: Content; known: Known; nowMs: number },
): Promise<void> {
  const endsMs = Date.parse(expiresAt);
  if (endsMs > nowMs + RAISE_HOURS_MAX * HOUR_MS)
    throw refused(`for at most ${RAISE_HOURS_MAX} hours, got until ${expiresAt}`);
  if (known !== null && endsMs < known.expiresAt.getTime())
    throw refused(`and not end an override sooner, it runs until ${known.expiresAt.toISOString()}`);
  const rule = content.rules.find(({ id }) => id === ruleId);
  if (rule === undefined) return;
  const { plan } = (await factsOfClients(tx, [client], content))(client);
  const now = [
    amountFor(rule.limit, plan),
    ...(known === null ? [] : [AmountSchema.parse(known.limit)]),
  ];
  for (const amount of now) {
    const { direction, words } = compareAmounts(amount, limit);
    if (direction !== "looser" && direction !== "same")
      throw refused(`above what ${client} has now (plan ${plan}), got a limit that is ${words}`);
  }
}

function refused(what: string): AppError {
  return new AppError(
    "forbidden",
    `without the right to manage API keys an override may only raise a limit, ${what}`,
  );
}
