import type { EnforcePreview } from "@/lib/core/api/enforce-preview";
import { judgeEvidence } from "@/lib/core/evidence";
import type { Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import { blastRadius } from "./blast-radius";
import { factsOfClients } from "./client-facts";
import { predictRejections } from "./enforcement-counts";
import { getCoverage } from "./get-coverage";
import type { LoadedVersion } from "./live-version";

type Wanted = {
  live: LoadedVersion;
  /** As it would be enforced. */
  rule: Rule;
  nowMs: number;
};

type EnforceFacts = Pick<
  EnforcePreview,
  "evidence" | "radius" | "names" | "confirmAbove" | "guardrail" | "protectedPlans" | "predicted"
>;

/** What the commit would ask for, and whom it would hit. */
export async function enforceFacts(
  reader: Reader,
  { live, rule, nowMs }: Wanted,
): Promise<EnforceFacts> {
  const { evidence: bounds, confirmAbove, guardrail } = live.content.settings;
  const coverage = await getCoverage(reader, { rule, nowMs });
  const { seconds, requests, gatewaysLive, gatewaysReporting, droppedShare } = coverage;
  const radius = await blastRadius(reader, { rule, bounds: confirmAbove, nowMs });
  const clients = radius.topClients.map(({ client }) => client);
  const factsOf = await factsOfClients(reader, clients, live.content);
  const predicted = await predictRejections(reader, { rules: [rule], nowMs });
  const named = clients.map((client) => [client, factsOf(client).name] as const);
  return {
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
    predicted: { requests: predicted?.requests ?? 0, rejections: predicted?.rejections ?? 0 },
  };
}
