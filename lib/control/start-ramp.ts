import type { z } from "zod";
import { holdMs, type Ramp, RampRequestSchema } from "@/lib/core/api/ramps";
import { isMoreShare, type Share, shareWords } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { planIds, withObject } from "@/lib/core/ruleset-objects";
import { jsonColumn } from "@/lib/db/json";
import { commitVersion } from "./commit-version";
import { actorName, type Ctx } from "./context";
import { liveCandidate } from "./live-candidate";
import { getInstallation, type LoadedVersion } from "./live-version";
import { requirePermission } from "./permission";
import { rampRow } from "./ramp-row";
import { randomId } from "./random-id";
import { resolveAlert } from "./resolve-alert";

/** Takes the first step of a ramp in one version, and leaves the others to the worker. */
export async function startRamp(
  ctx: Ctx,
  { id: ruleId, ...input }: { id: string } & z.input<typeof RampRequestSchema>,
): Promise<Ramp> {
  requirePermission(ctx, "publish");
  const request = parseInput(RampRequestSchema, input, "the ramp");
  const { steps, reason, expectVersion, acknowledgeGaps, acknowledgeRadius, guardrail } = request;
  const { approvalRequired } = await getInstallation(ctx.db);
  if (approvalRequired)
    throw new AppError(
      "conflict",
      "a second person must approve each step here, so no step is taken by itself: set the shares one by one",
      { details: { reason: "approval-required" } },
    );
  const id = randomId();
  const words = steps.map(({ share }) => shareWords(share)).join(" → ");
  await commitVersion(
    ctx,
    { versions: expectVersion === undefined ? [] : [expectVersion], edits: [] },
    async (tx, live) => {
      const before = liveCandidate(live, ruleId);
      requireRising(live, before.share, steps);
      const open = await tx.candidateRamp.count({
        where: { ruleId, state: { in: ["running", "paused"] } },
      });
      if (open > 0)
        throw new AppError(
          "conflict",
          `rule ${ruleId} has a ramp already: cancel it before another one starts`,
          { details: { reason: "ramp", current: live.version } },
        );
      const [first] = steps;
      const share = first?.share ?? 0;
      return {
        kind: "publish",
        message: `${ruleId}: ramp to ${shareWords(steps.at(-1)?.share ?? 0)}, first ${shareWords(share)}: ${reason}`,
        content: withObject(live.content, {
          kind: "candidate",
          id: ruleId,
          body: { ...before, share },
        }),
        evidence: acknowledgeGaps === true ? "acknowledged" : "required",
        radius: acknowledgeRadius === true ? "acknowledged" : "required",
        guardrail,
        audit: {
          action: "ramp.start",
          kind: "rule",
          objectId: ruleId,
          did: `started a ramp of rule ${ruleId}'s candidate: ${words}`,
          reason,
          before: { share: before.share },
          after: { share, steps },
        },
        also: async (tx) => {
          const now = new Date(ctx.clock.nowMs());
          const entry = live.body.rules.find((rule) => rule.id === ruleId);
          await tx.candidateRamp.create({
            data: {
              id,
              ruleId,
              steps: jsonColumn(steps.map((step) => ({ ...step, hold: step.hold ?? null }))),
              stepsDone: jsonColumn([{ at: now.toISOString(), version: live.version + 1 }]),
              reason,
              actor: jsonColumn(actorName(ctx.actor)),
              acknowledgeGaps: acknowledgeGaps === true,
              acknowledgeRadius: acknowledgeRadius === true,
              ...(guardrail === undefined ? {} : { guardrail: jsonColumn({ bounds: guardrail }) }),
              createdAt: now,
              nextAt: new Date(now.getTime() + holdMs(first ?? {})),
              liveRevision: entry?.live?.revision ?? 0,
              candidateRevision: entry?.candidate?.revision ?? 0,
              checkedEpoch: live.epoch,
              checkedVersion: live.version + 1,
            },
          });
          await resolveAlert(tx, {
            kinds: ["ramp-held", "ramp-stopped"],
            subject: ruleId,
            atMs: now.getTime(),
          });
        },
      };
    },
  );
  return rampRow(await ctx.db.candidateRamp.findUniqueOrThrow({ where: { id } }));
}

/** Every step for some plan more than the one before it, for none less; the first more than now. */
function requireRising(
  { content }: LoadedVersion,
  now: Share,
  steps: readonly { share: Share }[],
): void {
  const plans = planIds(content);
  let before = now;
  for (const [i, { share }] of steps.entries()) {
    const isRising = isMoreShare(before, share, plans) && !isMoreShare(share, before, plans);
    if (!isRising) {
      const message = `steps must rise: step ${i + 1} is ${shareWords(share)}, after ${shareWords(before)}`;
      throw new AppError("invalid", message, { errors: [{ path: `steps.${i}.share`, message }] });
    }
    before = share;
  }
}
