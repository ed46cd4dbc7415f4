import type { Reader } from "@/lib/db/client";
import { databaseNow } from "@/lib/db/now";
import { JudgementSchema, OPEN_STATES } from "./enforcement-columns";
import { getLive } from "./live-version";
import { NEWEST } from "./record-enforcements";
import { isStillEnforced } from "./still-enforced";

/** An older judgement says nothing of now: no worker looks. */
const FRESH_MS = 30_000;

export type RampVerdict = {
  mayAdvance: boolean;
  /** A sentence each; empty when it may. */
  why: string[];
};

/** Whether a rule's last step fares well enough for the next one, by its guardrail's last look. Never on missing data. */
export async function rampMayAdvance(tx: Reader, ruleId: string): Promise<RampVerdict> {
  const row = await tx.enforcement.findFirst({ where: { ruleId }, orderBy: NEWEST });
  // Nothing of it was ever enforced: the first step needs no step before it.
  if (row === null) return { mayAdvance: true, why: [] };
  const because = (...why: string[]) => ({ mayAdvance: false, why });
  if (!OPEN_STATES.includes(row.state)) {
    const { body } = await getLive(tx);
    if (row.state !== "undone" && isStillEnforced(body, row)) return { mayAdvance: true, why: [] };
    return because(row.outcome ?? `what version ${row.version} enforced is not enforced any more`);
  }
  if (row.judgement === null || row.lookedAt === null)
    return because(`version ${row.version} was not looked at yet`);
  const { verdict, why } = JudgementSchema.parse(row.judgement);
  const ageMs = (await databaseNow(tx)).getTime() - row.lookedAt.getTime();
  if (ageMs > FRESH_MS)
    return because(`no worker has looked at it for ${Math.round(ageMs / 1000)} s`);
  if (row.state === "watching" && verdict === "within") return { mayAdvance: true, why: [] };
  return because(...why);
}
