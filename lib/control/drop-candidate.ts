import type { z } from "zod";
import { DropCandidateQuerySchema } from "@/lib/core/api/candidate";
import type { Published } from "@/lib/core/api/publish";
import { isShared } from "@/lib/core/candidate";
import { parseInput } from "@/lib/core/parse";
import { withoutObject } from "@/lib/core/ruleset-objects";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { liveCandidate } from "./live-candidate";
import { requirePermission } from "./permission";

/** Everybody is at the live revision again, as all others were all the time: never asks for evidence. */
export async function dropCandidate(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof DropCandidateQuerySchema>,
): Promise<Published> {
  requirePermission(ctx, "relax");
  const { reason, expectVersion } = parseInput(DropCandidateQuerySchema, input, "the removal");
  return commitVersion(
    ctx,
    { versions: expectVersion === undefined ? [] : [expectVersion], edits: [] },
    (_tx, live) => {
      const before = liveCandidate(live, id);
      return {
        kind: "rollback",
        message: `${id}: the candidate is dropped${reason === undefined ? "" : `: ${reason}`}`,
        content: withoutObject(live.content, { kind: "candidate", id }),
        evidence: "exempt",
        audit: {
          action: "candidate.drop",
          kind: "rule",
          objectId: id,
          did: `dropped the candidate of rule ${id}${isShared(before.share) ? ", which was enforced for some" : ""}`,
          reason,
          before,
        },
      };
    },
  );
}
