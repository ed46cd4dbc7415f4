import type { z } from "zod";
import { ShareRequestSchema } from "@/lib/core/api/candidate";
import type { Published } from "@/lib/core/api/publish";
import { isMoreShare, type Share, shareWords } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import { isEqual } from "@/lib/core/field-diff";
import { parseInput } from "@/lib/core/parse";
import { type Content, planIds, withObject } from "@/lib/core/ruleset-objects";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { liveCandidate } from "./live-candidate";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

/**
 * Enforces a rule's candidate for a share of clients. More asks for what a publish asks for; less is the way back, which
 * asks for nothing, whatever the candidate is.
 */
export async function setCandidateShare(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof ShareRequestSchema>,
): Promise<Published> {
  requirePermission(ctx, "relax");
  const request = parseInput(ShareRequestSchema, input, "the share");
  const { share, reason, expectVersion, acknowledgeGaps, acknowledgeRadius, guardrail } = request;
  const isLess = (before: Share, content: Content) => !isMoreShare(before, share, planIds(content));
  const seen = await getLive(ctx.db);
  const seenShare = liveCandidate(seen, id).share;
  if (!isLess(seenShare, seen.content)) requirePermission(ctx, "publish");
  return commitVersion(
    ctx,
    { versions: expectVersion === undefined ? [] : [expectVersion], edits: [] },
    (_tx, live) => {
      const before = liveCandidate(live, id);
      requirePlans(share, live.content);
      if (isEqual(before.share, share))
        throw new AppError("conflict", `the candidate of rule ${id} has this share already`, {
          details: { reason: "unchanged", current: live.version },
        });
      const isBack = isLess(before.share, live.content);
      if (!isBack) requirePermission(ctx, "publish");
      return {
        kind: isBack ? "rollback" : "publish",
        message: `${id}: the candidate for ${shareWords(share)}: ${reason}`,
        content: withObject(live.content, { kind: "candidate", id, body: { ...before, share } }),
        evidence: isBack ? "exempt" : acknowledgeGaps === true ? "acknowledged" : "required",
        radius: acknowledgeRadius === true ? "acknowledged" : "required",
        guardrail,
        audit: {
          action: "candidate.share",
          kind: "rule",
          objectId: id,
          did: `set the candidate of rule ${id} from ${shareWords(before.share)} to ${shareWords(share)}`,
          reason,
          before: { share: before.share },
          after: { share },
        },
      };
    },
  );
}

/** A way back is published whatever else is wrong, so this is asked here. */
function requirePlans(share: Share, content: Content): void {
  const known = planIds(content);
  const plan = Object.keys(Object(share)).find((each) => !known.includes(each));
  if (plan === undefined) return;
  const message = `share names plan "${plan}", which is not one of ${known.join(", ")}`;
  throw new AppError("invalid", message, { errors: [{ path: "share", message }] });
}
