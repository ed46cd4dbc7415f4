import { undoEnforcement } from "@/lib/control";
import { OPEN_STATES } from "@/lib/control/enforcement-columns";
import { judgeEnforcement } from "@/lib/control/judge-enforcement";
import { readSight } from "./guardrail-sight";
import { runLoop } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** Looks at what was enforced, and takes back what crosses its guardrail. Needs Postgres only. */
export function runWatchGuardrails(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const everyMs = ctx.timings.guardrailsMs;
  return runLoop(
    { name: "guardrails", pass: () => passGuardrails(ctx), everyMs, log: ctx.log },
    signal,
  );
}

/** One pass. Several workers may: a row is looked at by one at a time. What fails keeps no other rule from being looked at. */
export async function passGuardrails(ctx: WorkerCtx): Promise<void> {
  const open = await ctx.db.enforcement.findMany({
    where: { state: { in: OPEN_STATES }, OR: [{ heldFor: null }, { heldFor: "data" }] },
    orderBy: [{ lookedAt: { sort: "asc", nulls: "first" } }, { id: "asc" }],
    select: { id: true, ruleId: true },
  });
  if (open.length === 0) return;
  const sightOf = await readSight(ctx);
  const failures: unknown[] = [];
  for (const { id, ruleId } of open) {
    try {
      if ((await judgeEnforcement(ctx, { id, sightOf })) !== "undo") continue;
      const outcome = await undoEnforcement(ctx, { id });
      ctx.log.warn({ rule: ruleId, ...outcome }, "a guardrail was crossed");
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
