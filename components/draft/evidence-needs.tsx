import { Card } from "@/components/ui/card";
import { TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { UserText } from "@/components/ui/user-text";
import type { Draft } from "@/lib/core/api/draft";

/** Rules that become enforced or stricter, and whether shadow has shown enough of what that does. */
export function EvidenceNeeds({ evidence }: { evidence: Draft["evidence"] }) {
  return (
    <Card title="Evidence" description="Asked for where a rule becomes enforced or stricter.">
      <ul className="flex flex-col gap-3 text-sm">
        {evidence.map(({ rule, name, because, enough, why }) => (
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
