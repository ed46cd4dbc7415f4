import { countingHash } from "@/lib/core/counting-hash";
import { revisionHash } from "@/lib/core/revision-hash";
import type { Rule } from "@/lib/core/rule";
import type { Body, RevisionEntry, RuleEntry } from "@/lib/core/ruleset";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import { slotsFor } from "@/lib/db/slots";

/** By `live <rule>`, `candidate <rule>`. */
export type RuleSlots = ReadonlyMap<string, number>;

type Want = { name: string; ruleId: string; countingHash: string };

/**
 * Where the counters of every rule and candidate live in the version to be made (docs/decisions/076). They stay where
 * they are while what is counted stays, and go with a candidate that becomes live.
 */
export async function ruleSlots(
  tx: Tx,
  { live, content, version }: { live: Body | null; content: Content; version: number },
): Promise<RuleSlots> {
  const entries = new Map(live?.rules.map((entry) => [entry.id, entry]));
  const slots = new Map<string, number>();
  const wanted: Want[] = [];
  for (const rule of content.rules) {
    const kept = keptByLive(entries.get(rule.id), rule);
    if (kept === null)
      wanted.push({ name: `live ${rule.id}`, ruleId: rule.id, countingHash: countingHash(rule) });
    else slots.set(`live ${rule.id}`, kept);
  }
  for (const { id, rule } of content.candidates) {
    const was = entries.get(id)?.candidate;
    const isTaken = was?.slot === slots.get(`live ${id}`);
    const hash = countingHash(rule);
    if (was !== undefined && !isTaken && countingHash(was.rule) === hash)
      slots.set(`candidate ${id}`, was.slot);
    // Its own definition's slot may hold what the live revision counted, so a new candidate begins in a new one.
    else
      wanted.push({
        name: `candidate ${id}`,
        ruleId: id,
        countingHash: `${hash} candidate of version ${version}`,
      });
  }
  const made = await slotsFor(tx, wanted);
  for (const [i, { name }] of wanted.entries()) slots.set(name, made[i] ?? 0);
  return slots;
}

/** Null where another thing is counted than before. */
function keptByLive(entry: RuleEntry | undefined, rule: Rule): number | null {
  if (entry === undefined) return null;
  const { live, candidate } = entry;
  if (candidate !== undefined && !isRule(live, rule) && isRule(candidate, rule))
    return candidate.slot;
  return live !== undefined && countingHash(live.rule) === countingHash(rule) ? live.slot : null;
}

function isRule(entry: RevisionEntry | undefined, rule: Rule): boolean {
  return entry !== undefined && revisionHash(entry.rule) === revisionHash(rule);
}
