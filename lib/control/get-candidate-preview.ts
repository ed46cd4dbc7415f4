import type { CandidatePreview } from "@/lib/core/api/candidate";
import { type Content, withObject, withoutObject } from "@/lib/core/ruleset-objects";
import { inSnapshot } from "@/lib/db/client";
import type { Ctx } from "./context";
import { enforceFacts } from "./enforce-facts";
import { liveCandidate } from "./live-candidate";
import { getInstallation, getLive } from "./live-version";
import { stricterRules } from "./missing-evidence";
import { requirePermission } from "./permission";

/** What more share of a candidate, or promoting it, would ask for and whom it would hit. */
export async function getCandidatePreview(
  ctx: Ctx,
  { id }: { id: string },
): Promise<CandidatePreview> {
  requirePermission(ctx, "read");
  const nowMs = ctx.clock.nowMs();
  return inSnapshot(ctx.db, async (reader) => {
    const live = await getLive(reader);
    const { approvalRequired } = await getInstallation(reader);
    const { content } = live;
    const candidate = liveCandidate(live, id);
    const { rule, share } = candidate;
    const withShare = (all: number): Content =>
      withObject(content, { kind: "candidate", id, body: { ...candidate, share: all } });
    const because = (before: Content, after: Content) =>
      stricterRules(before, after).find((each) => each.rule.id === id)?.because ?? null;
    const promoted = withObject(withoutObject(content, { kind: "candidate", id }), {
      kind: "rule",
      id,
      body: rule,
    });
    const entry = live.body.rules.find((each) => each.id === id);
    return {
      rule: id,
      version: live.version,
      revision: entry?.candidate?.revision ?? 0,
      liveRevision: entry?.live?.revision ?? 0,
      share,
      plans: content.plans.map((plan) => ({ id: plan.id, name: plan.name })),
      needs: {
        share: because(withShare(0), withShare(100)),
        promote: because(content, promoted),
      },
      approvalRequired,
      ...(await enforceFacts(reader, { live, rule, nowMs })),
    };
  });
}
