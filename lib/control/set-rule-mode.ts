import type { z } from "zod";
import { ModeRequestSchema, type Published } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inMode } from "@/lib/core/rule";
import { type Content, type RulesetObject, withObject } from "@/lib/core/ruleset-objects";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { editOfExpected } from "./expected-version";
import { liveRule } from "./live-rule";
import { requirePermission } from "./permission";

/** One click: a version of its own on the live content. Drafts stay as they are; their base is then stale. */
export async function setRuleMode(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof ModeRequestSchema>,
): Promise<Published> {
  // Shadow refuses nobody, so it needs no more than who may undo.
  requirePermission(ctx, input.mode === "shadow" ? "relax" : "publish");
  const { mode, reason, expectVersion, acknowledgeGaps, acknowledgeRadius, guardrail } = parseInput(
    ModeRequestSchema,
    input,
    "the mode change",
  );
  return commitVersion(
    ctx,
    (tx) => editOfExpected(tx, { expectVersion, ruleId: id, change: (rule) => inMode(rule, mode) }),
    (_tx, live) => {
      const before = liveRule(live, id);
      if (before.mode === mode)
        throw new AppError("conflict", `rule ${id} is in mode ${mode} already`, {
          details: { reason: "unchanged", current: live.version },
        });
      const object = { kind: "rule" as const, id, body: inMode(before, mode) };
      return {
        kind: "mode",
        message: `${id}: ${before.mode} → ${mode}: ${reason}`,
        content: withMode(live.content, object),
        // Asks only for what becomes enforced; off and shadow pass it by themselves.
        evidence: acknowledgeGaps === true ? "acknowledged" : "required",
        radius: acknowledgeRadius === true ? "acknowledged" : "required",
        guardrail,
        audit: {
          action: "rule.mode",
          kind: "rule",
          objectId: id,
          did: `set rule ${id} from ${before.mode} to ${mode}`,
          reason,
          before,
          after: object.body,
        },
      };
    },
  );
}

/** What is taken out of enforce is so for everybody: its candidate's share ends, too. */
function withMode(content: Content, object: Extract<RulesetObject, { kind: "rule" }>): Content {
  const changed = withObject(content, object);
  if (object.body.mode === "enforce") return changed;
  const { id } = object;
  const candidates = changed.candidates.map((each) =>
    each.id === id ? { ...each, share: 0 } : each,
  );
  return { ...changed, candidates };
}
