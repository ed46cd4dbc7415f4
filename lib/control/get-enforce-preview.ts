import type { EnforcePreview } from "@/lib/core/api/enforce-preview";
import { AppError } from "@/lib/core/errors";
import { judgeEvidence } from "@/lib/core/evidence";
import type { Rule } from "@/lib/core/rule";
import { inSnapshot } from "@/lib/db/client";
import { blastRadius } from "./blast-radius";
import { factsOfClients } from "./client-facts";
import type { Ctx } from "./context";
import { getCoverage } from "./get-coverage";
import { liveRule } from "./live-rule";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

/** What enforcing a rule now would ask for and whom it would hit, before anybody presses anything. */
export async function getEnforcePreview(ctx: Ctx, { id }: { id: string }): Promise<EnforcePreview> {
  requirePermission(ctx, "read");
  const nowMs = ctx.clock.nowMs();
  return inSnapshot(ctx.db, async (reader) => {
    const live = await getLive(reader);
    const now = liveRule(live, id);
    if (now.mode === "enforce")
      throw new AppError("conflict", `rule ${id} is in mode enforce already`, {
        details: { reason: "unchanged", current: live.version },
      });
    const rule: Rule = { ...now, mode: "enforce" };
    const { evidence: bounds, confirmAbove, guardrail } = live.content.settings;
    const coverage = await getCoverage(reader, { rule, nowMs });
    const { seconds, requests, gatewaysLive, gatewaysReporting, droppedShare } = coverage;
    const radius = await blastRadius(reader, { rule, bounds: confirmAbove, nowMs });
    const clients = radius.topClients.map(({ client }) => client);
    const factsOf = await factsOfClients(reader, clients, live.content);
    const named = clients.map((client) => [client, factsOf(client).name] as const);
    return {
      rule: id,
      version: live.version,
      mode: now.mode,
      revision: live.body.rules.find((entry) => entry.id === id)?.live?.revision ?? 0,
      evidence: {
        ...judgeEvidence(bounds, coverage),
        seconds,
        requests,
        gateways: gatewaysLive,
        reporting: gatewaysReporting,
        droppedShare,
        bounds,
      },
      radius,
      names: Object.fromEntries(named.filter(([, name]) => name !== "")),
      confirmAbove,
      guardrail,
      protectedPlans: live.content.plans.flatMap((plan) => (plan.protected ? [plan.id] : [])),
    };
  });
}
