import type { z } from "zod";
import { PromoteRequestSchema } from "@/lib/core/api/candidate";
import type { Published } from "@/lib/core/api/publish";
import { parseInput } from "@/lib/core/parse";
import { withObject, withoutObject } from "@/lib/core/ruleset-objects";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { liveCandidate } from "./live-candidate";
import { liveRule } from "./live-rule";
import { requirePermission } from "./permission";

/** The candidate becomes the live revision for everybody; its counters go on. */
export async function promoteCandidate(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof PromoteRequestSchema>,
): Promise<Published> {
  requirePermission(ctx, "publish");
  const request = parseInput(PromoteRequestSchema, input, "the promotion");
  const { reason, expectVersion, acknowledgeGaps, acknowledgeRadius, guardrail } = request;
  return commitVersion(
    ctx,
    { versions: expectVersion === undefined ? [] : [expectVersion], edits: [] },
    (_tx, live) => {
      const { rule } = liveCandidate(live, id);
      const before = liveRule(live, id);
      const without = withoutObject(live.content, { kind: "candidate", id });
      return {
        kind: "publish",
        message: `${id}: the candidate is live: ${reason}`,
        content: withObject(without, { kind: "rule", id, body: rule }),
        evidence: acknowledgeGaps === true ? "acknowledged" : "required",
        radius: acknowledgeRadius === true ? "acknowledged" : "required",
        guardrail,
        audit: {
          action: "candidate.promote",
          kind: "rule",
          objectId: id,
          did: `promoted the candidate of rule ${id}`,
          reason,
          before,
          after: rule,
        },
      };
    },
  );
}
