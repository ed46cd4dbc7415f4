import { formatCompact, formatCount, formatPlural, formatShare } from "@/components/ui/format";
import type { Report } from "@/lib/core/api/report";
import { OTHER_ROUTE } from "@/lib/core/counts";

type Judged = Pick<
  Report,
  | "mode"
  | "requests"
  | "rejections"
  | "wouldReject"
  | "share"
  | "clients"
  | "clientsCapped"
  | "filter"
  | "basis"
> & {
  byPlan: readonly { plan: string; rejections: number; clients: number | null }[];
  coverage: Pick<Report["coverage"], "seconds" | "gateways">;
};

type PlanName = { id: string; name: string; protected: boolean };

type Asked = {
  /** The time, such as `in the last 24 h`. */
  words: string;
  plans: readonly PlanName[];
  /** The revision that was asked for; null: every one. */
  revision: number | null;
};

export type Verdict = {
  /** `none`: nothing is known. `quiet`: known, and nothing is refused. */
  kind: "none" | "quiet" | "hits";
  headline: string;
  /** Further sentences, the most important first. */
  notes: string[];
};

/** What the figures say, as one would say it aloud. No data is never "no rejections". */
export function verdictOf(report: Judged, asked: Asked): Verdict {
  const { mode, requests, rejections, wouldReject, share, basis } = report;
  const { words } = asked;
  const isShadow = mode === "shadow";
  if (requests === 0) return nothingCounted(report, asked);
  const whose = narrowingWords(report, asked);
  const of = `${formatCount(rejections)} of ${countWords(requests)}${whose} ${words}`;
  const verb = isShadow ? "Would reject" : "Rejected";
  const already = wouldReject - rejections;
  const notes = [
    ...(isShadow && already > 0
      ? [
          `It would also refuse ${formatPlural(already, "request")} that another rule refuses already: enforcing does not change those.`,
        ]
      : []),
    ...(basis === "hitMinutes"
      ? ["The client’s requests are those of the minutes in which it had a rejection."]
      : []),
  ];
  if (rejections === 0) return { kind: "quiet", headline: `${verb} nothing: ${of}`, notes };
  const who = basis === "hitMinutes" ? "" : clientWords(report, asked.plans);
  return { kind: "hits", headline: `${verb} ${formatShare(share ?? 0)}: ${of}${who}`, notes };
}

function nothingCounted(report: Judged, asked: Asked): Verdict {
  const { mode, coverage, filter, clientsCapped } = report;
  const { words } = asked;
  const way = mode === "shadow" ? "in shadow" : "while enforced";
  const caution = mode === "shadow" ? ["This does not mean that nothing would be rejected."] : [];
  if (coverage.gateways === 0)
    return { kind: "none", headline: `No data ${words}: no gateway reported`, notes: caution };
  if (coverage.seconds === 0) {
    const what = asked.revision === null ? "the rule" : `revision ${asked.revision}`;
    return {
      kind: "none",
      headline: `No data ${words}: ${what} was not counted ${way}`,
      notes: caution,
    };
  }
  if (filter.client !== null)
    return {
      kind: clientsCapped ? "none" : "quiet",
      headline: `No rejection is counted under ${filter.client} ${words}`,
      notes: clientsCapped
        ? ["Clients beyond a gateway’s bound are counted together, and it may be one of them."]
        : [
            "A client is counted in minutes in which it has a rejection: how many requests it sent is not known.",
          ],
    };
  const whose = narrowingWords(report, asked);
  const had = whose === "" ? "it had nothing to decide" : "nothing of what it decided was such";
  return {
    kind: "none",
    headline: `No request${whose} matched this rule ${words}`,
    notes: [`Gateways reported, and the rule was counted; ${had}.`],
  };
}

/** ` on plan Free under revision 3`; empty when nothing was left out. */
function narrowingWords({ filter }: Judged, { plans, revision }: Asked): string {
  const { plan, route, client } = filter;
  const planName = plans.find(({ id }) => id === plan)?.name ?? plan;
  return [
    client === null ? "" : ` of ${client}`,
    plan === null ? "" : ` on plan ${planName}`,
    route === null ? "" : route === OTHER_ROUTE ? " on any other path" : ` on ${route}`,
    revision === null ? "" : ` under revision ${revision}`,
  ].join("");
}

function clientWords(
  { clients, clientsCapped, byPlan, filter }: Judged,
  plans: readonly PlanName[],
): string {
  if (clients === null) return "";
  const all = `${clientsCapped ? "at least " : ""}${formatPlural(clients, "client")}`;
  const guarded = filter.plan === null ? plans.filter((plan) => plan.protected) : [];
  const isHit = ({ id }: PlanName) =>
    byPlan.some((row) => row.plan === id && (row.rejections > 0 || (row.clients ?? 0) > 0));
  const hit = guarded.filter(isHit);
  if (hit.length === 0)
    return `; ${[all, ...(guarded.length === 0 ? [] : [spared(guarded, clients)])].join(", ")}`;
  const some = hit.map(({ id, name }) => {
    const found = byPlan.find((row) => row.plan === id)?.clients ?? 0;
    if (clients === 1 && !clientsCapped) return `on ${name}`;
    return found === 0 ? `some of them on ${name}` : `${formatCount(found)} of them on ${name}`;
  });
  return `; ${[all, ...some].join(", ")}`;
}

/** Counts are never capped, so that nobody on a plan was hit is known for certain. */
function spared(guarded: readonly PlanName[], clients: number): string {
  const [only, ...others] = guarded;
  const where = only === undefined || others.length > 0 ? "a protected plan" : only.name;
  return clients === 1 ? `not on ${where}` : `none of them on ${where}`;
}

function countWords(count: number): string {
  return `${formatCompact(count)} ${count === 1 ? "request" : "requests"}`;
}
