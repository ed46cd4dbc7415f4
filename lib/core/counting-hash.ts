import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { orderedCountBy } from "./count-by";
import { durationSeconds } from "./duration";
import type { Limit } from "./limit";
import type { Rule } from "./rule";

/**
 * Names a counting definition, hex: what is counted by (in whatever order it is written), of which kind, by which
 * algorithm, in which windows. Rules of one id and one hash share a slot, so their counters go on; another hash
 * starts at full. Amounts are not in it.
 */
export function countingHash({ countBy, limit }: Pick<Rule, "countBy" | "limit">): string {
  const definition = [orderedCountBy(countBy), limit.kind, ...algorithmOf(limit)];
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(definition))));
}

function algorithmOf(limit: Limit): unknown[] {
  if (limit.kind !== "rate") return [];
  if (limit.algorithm === "token-bucket") return [limit.algorithm];
  const amounts = [...Object.values(limit.perPlan), limit.anonymous, limit.default];
  const pers = amounts.flatMap((amount) =>
    amount === undefined || amount === "unlimited" ? [] : [lengthOf(amount.per)],
  );
  const lengths = [...new Set(pers)].sort();
  return limit.algorithm === "fixed-window"
    ? [limit.algorithm, limit.timeZone, lengths]
    : [limit.algorithm, lengths];
}

/** 60s and 1m are one window. */
function lengthOf(per: string): string {
  return String(durationSeconds(per) ?? per);
}
