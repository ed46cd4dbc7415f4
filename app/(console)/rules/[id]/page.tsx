import { redirect } from "next/navigation";
import { findDraftedRule, findRule } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { EnforcementCard } from "@/components/guardrail/enforcement-card";
import { RuleOverview } from "@/components/rules/rule-overview";
import { EmptyState } from "@/components/ui/empty-state";
import { ButtonLink } from "@/components/ui/link";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { findEnforcement, listOverrides } from "@/lib/control";
import { listOfRule } from "@/lib/core/own-rules";
import { endWatchAction, setGuardrailAction } from "../guardrail-actions";

type Props = { params: Promise<{ id: string }> };

const REFRESH_MS = 4000;

export default async function RulePage({ params }: Props) {
  const id = decodeURIComponent((await params).id);
  if (listOfRule(id) !== null) redirect(`/rules/${id}/report`);
  const rule = await findRule(id);
  if (rule === null) {
    const isDeleted = (await findDraftedRule(id))?.op === "delete";
    return (
      <div className="rounded-lg border bg-surface">
        <EmptyState
          title="This rule was never published"
          actions={
            <>
              <ButtonLink variant="primary" href="/draft">
                Review draft
              </ButtonLink>
              {!isDeleted && (
                <ButtonLink href={`/rules/${encodeURIComponent(id)}/edit`}>Edit</ButtonLink>
              )}
            </>
          }
        >
          Its report starts with its first version.
        </EmptyState>
      </div>
    );
  }
  const ctx = await getPageCtx();
  const [enforcement, current, expiring] = await Promise.all([
    findEnforcement(ctx, { id }),
    listOverrides(ctx, { rule: id, limit: 1 }),
    listOverrides(ctx, { rule: id, expiresWithinDays: 7, limit: 1 }),
  ]);
  return (
    <>
      <div className="flex flex-col gap-4">
        {enforcement && (
          <EnforcementCard
            enforcement={enforcement}
            actions={{ set: setGuardrailAction, end: endWatchAction }}
          />
        )}
        <RuleOverview
          rule={rule}
          overrides={{ current: current.total, expiring: expiring.total }}
        />
      </div>
      <RefreshEvery ms={REFRESH_MS} />
    </>
  );
}
