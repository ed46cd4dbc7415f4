import { isShared } from "@/lib/core/candidate";
import type { Body } from "@/lib/core/ruleset";
import type { Enforcement } from "@/lib/db/generated/client";

/** Whether what a change enforced still is, for everybody or a share. */
export function isStillEnforced(
  { rules }: Body,
  { ruleId, revisions }: Pick<Enforcement, "ruleId" | "revisions">,
): boolean {
  const entry = rules.find(({ id }) => id === ruleId);
  const { live, candidate } = entry ?? {};
  return (
    (live?.rule.mode === "enforce" && revisions.includes(live.revision)) ||
    (candidate !== undefined && isShared(entry?.share) && revisions.includes(candidate.revision))
  );
}
