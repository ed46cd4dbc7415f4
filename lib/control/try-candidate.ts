import type { z } from "zod";
import { CandidateRequestSchema } from "@/lib/core/api/candidate";
import type { Published } from "@/lib/core/api/publish";
import { type Candidate, isShared, shareWords } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import { isEqual } from "@/lib/core/field-diff";
import { parseInput } from "@/lib/core/parse";
import { inMode, RuleSchema } from "@/lib/core/rule";
import { withObject } from "@/lib/core/ruleset-objects";
import { lockDraft } from "@/lib/db/drafts";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { draftOwner } from "./draft-owner";
import { liveRule } from "./live-rule";
import { requirePermission } from "./permission";
import { dropItem } from "./save-edit";

/**
 * One click: a revision that counts in shadow beside the live one, which goes on. What the caller's draft holds of the
 * rule leaves the draft when it is what is tried.
 */
export async function tryCandidate(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof CandidateRequestSchema>,
): Promise<Published> {
  requirePermission(ctx, "publish");
  const request = parseInput(CandidateRequestSchema, input, "the candidate");
  const { reason, expectVersion, acknowledgeGaps, acknowledgeRadius, guardrail } = request;
  return commitVersion(
    ctx,
    { versions: expectVersion === undefined ? [] : [expectVersion], edits: [] },
    (_tx, live) => {
      const rule = liveRule(live, id);
      const before = live.content.candidates.find((each) => each.id === id);
      const body: Candidate = {
        id,
        share: request.share ?? before?.share ?? 0,
        rule: parseInput(
          RuleSchema,
          { ...inMode(request.rule ?? rule, "enforce"), id },
          "the candidate's rule",
        ),
      };
      if (isEqual(before, body))
        throw new AppError("conflict", `this is the candidate of rule ${id} already`, {
          details: { reason: "unchanged", current: live.version },
        });
      if (isEqual(rule, body.rule))
        throw new AppError(
          "conflict",
          `rule ${id} is enforced exactly so already: change something of it, then try that`,
          { details: { reason: "unchanged", current: live.version } },
        );
      const how = isShared(body.share) ? `enforced for ${shareWords(body.share)}` : "in shadow";
      return {
        kind: "publish",
        message: `${id}: a candidate ${how}: ${reason}`,
        content: withObject(live.content, { kind: "candidate", id, body }),
        evidence: acknowledgeGaps === true ? "acknowledged" : "required",
        radius: acknowledgeRadius === true ? "acknowledged" : "required",
        guardrail,
        audit: {
          action: "candidate.try",
          kind: "rule",
          objectId: id,
          did: `tries a candidate of rule ${id} ${how}`,
          reason,
          before,
          after: body,
        },
        also: async (tx) => {
          const draft = await lockDraft(tx, draftOwner(ctx.actor));
          const held = draft?.items.find((item) => item.kind === "rule" && item.objectId === id);
          const drafted = held === undefined ? null : RuleSchema.safeParse(held.body);
          if (drafted?.success !== true) return;
          if (isEqual(inMode(drafted.data, "enforce"), body.rule))
            await dropItem(tx, draft, { kind: "rule", id });
        },
      };
    },
  );
}
