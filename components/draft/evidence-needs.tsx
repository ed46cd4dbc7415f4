import { Card } from "@/components/ui/card";
import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { UserText } from "@/components/ui/user-text";
import type { Draft } from "@/lib/core/api/draft";
import type { BlastRadius } from "@/lib/core/api/publish";

const FIRST_CLIENTS = 3;

/** Rules that become enforced or stricter, and whether shadow has shown enough of what that does. */
export function EvidenceNeeds({ evidence }: { evidence: Draft["evidence"] }) {
  return (
    <Card title="Evidence" description="Asked for where a rule becomes enforced or stricter.">
      <ul className="flex flex-col gap-3 text-sm">
        {evidence.map(({ rule, name, because, enough, why, radius }) => (
          <li key={rule}>
            <p className="flex flex-wrap items-center gap-x-2">
              <TextLink href={`/rules/${encodeURIComponent(rule)}/report`}>
                <UserText>{name}</UserText>
              </TextLink>
              <Status tone={enough ? "success" : "warning"}>
                {enough ? "enough" : "not enough"}
              </Status>
            </p>
            <p className="text-muted">
              <UserText>{because}</UserText>
            </p>
            {radius.rejections > 0 && (
              <p className="break-words">
                <UserText>{hitWords(radius)}</UserText>
              </p>
            )}
            {!enough && (
              <ul className="list-disc ps-4">
                {why.map((gap) => (
                  <li key={gap}>{gap}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** `Would have refused 46% (129 of 281) in the last 24 h, of 8 clients: free 8. First key:demo-free-01.` */
function hitWords({
  requests,
  rejections,
  clients,
  clientsCapped,
  ...radius
}: BlastRadius): string {
  const share = formatShare(requests === 0 ? 0 : rejections / requests);
  const counted = `${share} (${formatCount(rejections)} of ${formatCount(requests)})`;
  const who = `${clientsCapped ? "at least " : ""}${formatPlural(clients, "client")}`;
  const plans = radius.byPlan.map(({ plan, clients }) => `${plan} ${formatCount(clients)}`);
  const first = radius.topClients.slice(0, FIRST_CLIENTS).map(({ client }) => client);
  return `Would have refused ${counted} in the last 24 h, of ${who}: ${plans.join(", ")}. First ${first.join(", ")}.`;
}
