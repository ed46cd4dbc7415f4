import { Banner } from "@/components/ui/banner";
import { formatCount, formatMs, formatPlural, formatShare } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import type { EnforcePreview } from "@/lib/core/api/enforce-preview";
import { durationWords } from "@/lib/core/duration";

type EvidenceSummaryProps = {
  preview: Pick<EnforcePreview, "rule" | "evidence" | "radius">;
  /** The page of the rule with all of it. */
  page?: "report" | "candidate";
};

/** The verdict in one line, what it rests on, and what that lacks. */
export function EvidenceSummary({ preview, page = "report" }: EvidenceSummaryProps) {
  const { rule, evidence, radius } = preview;
  const { enough, why, bounds, seconds, requests, gateways, reporting, droppedShare } = evidence;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-lg font-semibold text-balance">{verdict(radius)}</p>
      <Banner
        tone={enough ? "success" : "warning"}
        title={enough ? "Enough evidence" : "Not enough evidence"}
      >
        {!enough && (
          <ul className="list-disc ps-4">
            {why.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
        )}
        <p className={enough ? "text-muted" : "mt-1 text-muted"}>
          Counted for {formatMs(seconds * 1000)}, {formatPlural(requests, "request")}, {reporting}{" "}
          of {formatPlural(gateways, "gateway")} throughout, {formatShare(droppedShare)} dropped.
          Asked for: {durationWords(bounds.minSeconds)},{" "}
          {formatPlural(bounds.minRequests, "request")}, all gateways, at most{" "}
          {formatShare(bounds.maxDroppedShare)} dropped.{" "}
          <TextLink href={`/rules/${encodeURIComponent(rule)}/${page}`} target="_blank">
            The whole report, in a new tab
          </TextLink>
        </p>
      </Banner>
    </div>
  );
}

function verdict({ requests, rejections, clients, clientsCapped }: EnforcePreview["radius"]) {
  if (requests === 0)
    return "Nothing was counted in shadow in the last 24 h: nobody can say who would be hit.";
  if (rejections === 0)
    return `It would have refused none of ${formatPlural(requests, "request")} that passed in the last 24 h.`;
  const who = `${clientsCapped ? "at least " : ""}${formatPlural(clients, "client")}`;
  return `It would have refused ${formatShare(rejections / requests)} (${formatCount(rejections)} of ${formatCount(requests)}) in the last 24 h, of ${who}.`;
}
