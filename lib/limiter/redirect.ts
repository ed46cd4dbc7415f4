import type { CheckResult } from "@/lib/core/check";

/** What a cluster's node says instead of running a call; all mean that nothing was charged. */
export type Redirect =
  /** The slot has another owner now. */
  | { kind: "moved"; slot: number; address: string }
  /** The slot is on its way there: this one call goes there. */
  | { kind: "ask"; address: string }
  /** The slot is on its way, and of the call's keys some are here and some are there. */
  | { kind: "again" };

const MOVED = /^(MOVED|ASK) (\d{1,5}) (\S+)/;

export function redirectOf(result: CheckResult): Redirect | undefined {
  if (result.verdict !== "unavailable" || result.reason !== "error") return undefined;
  const { message } = result;
  if (message.startsWith("TRYAGAIN")) return { kind: "again" };
  const [, word, slot, address] = MOVED.exec(message) ?? [];
  if (slot === undefined || address === undefined) return undefined;
  return word === "MOVED"
    ? { kind: "moved", slot: Number(slot), address }
    : { kind: "ask", address };
}
