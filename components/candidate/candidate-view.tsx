import { CoverageCard } from "@/components/report/coverage-card";
import { FieldDiffs } from "@/components/rules/field-diffs";
import { Card, Stat, StatRow } from "@/components/ui/card";
import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { CandidateDetail, CandidateReport } from "@/lib/core/api/candidate";
import type { RuleDetail } from "@/lib/core/api/rules";
import { countsByClient } from "@/lib/core/candidate";
import { isStricterOrEnforced } from "@/lib/core/stricter";
import { CandidateButtons } from "./candidate-buttons";
import { ComparedClients, ComparedPlans } from "./compared-tables";

type CandidateViewProps = {
  rule: RuleDetail;
  candidate: CandidateDetail;
  report: CandidateReport;
};

/** What is tried beside a live rule: what it changes, and what it would have done. */
export function CandidateView({ rule, candidate, report }: CandidateViewProps) {
  const { id, name } = rule;
  const { sentence, share, shareWords, isShared, since, sinceVersion, by, revision } = candidate;
  const isStricter = isStricterOrEnforced(rule.rule, candidate.rule).needsEvidence;
  const countsEach = countsByClient(rule.rule) && countsByClient(candidate.rule);
  return (
    <div className="flex flex-col gap-4">
      <Card
        title={`Revision ${revision}, tried beside revision ${rule.revision}`}
        description={
          <>
            <UserText>{sentence}</UserText>. Since{" "}
            <TextLink href={`/versions/${sinceVersion}`}>v{sinceVersion}</TextLink>,{" "}
            <Time at={since} /> by <UserText>{by.name}</UserText>.
          </>
        }
        actions={
          <CandidateButtons
            subject={{ id, name, sentence, share, shareWords, isShared }}
            noShare={
              countsEach
                ? null
                : "A share is of clients: both revisions must count by client, apiKey, customer or ip"
            }
            hasOpenRamp={candidate.ramp?.state === "running" || candidate.ramp?.state === "paused"}
          />
        }
        footer={
          <>
            {isShared
              ? `Enforced for ${shareWords}; the others keep the live revision and are counted in shadow.`
              : "In shadow only: it counts in a world of its own and changes no answer."}
            {!isStricter && " It is nowhere stricter, so enforcing it asks for no evidence."}
          </>
        }
        flush
      >
        <FieldDiffs label="Live now and the candidate" diffs={candidate.diff} framed={false} />
      </Card>
      <Verdict report={report} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="By plan" flush>
            <ComparedPlans report={report} isShared={isShared} />
          </Card>
          <Card
            title="Clients whose answers change most"
            description="Requests are those of minutes in which either revision refused the client one."
            flush
          >
            <ComparedClients report={report} isShared={isShared} />
          </Card>
        </div>
        <CoverageCard
          report={{
            coverage: report.coverage,
            requests: report.requests + report.enforced.requests,
            mode: "shadow",
            basis: "requests",
          }}
          evidence={isStricter ? report.evidence : null}
        />
      </div>
    </div>
  );
}

function Verdict({ report }: { report: CandidateReport }) {
  const { requests, newly, noLonger, both, enforced, clients, share } = report;
  const of = (count: number) =>
    requests === 0 ? "no data" : `${formatShare(Math.min(1, count / requests))} of requests`;
  const who = (count: number) =>
    `${report.clientsCapped ? "at least " : ""}${formatPlural(count, "client")}`;
  return (
    <section aria-label="Against the live revision" className="flex flex-col gap-2">
      <p className="text-lg font-semibold text-balance">{verdictWords(report)}</p>
      <StatRow>
        <Stat
          label="Newly rejected"
          value={formatCount(newly)}
          tone={newly > 0 ? "shadow" : "plain"}
          note={`${of(newly)}, ${who(clients.newly)}: pass today`}
        />
        <Stat
          label="No longer rejected"
          value={formatCount(noLonger)}
          note={`${of(noLonger)}, ${who(clients.noLonger)}: refused today`}
        />
        <Stat
          label="Rejected by both"
          value={formatCount(both)}
          note={`${of(both)}, ${who(clients.both)}: refused today, too`}
        />
        {(share !== 0 || enforced.requests > 0) && (
          <Stat
            label="Enforced: rejected"
            value={formatCount(enforced.rejections)}
            tone={enforced.rejections > 0 ? "enforce" : "plain"}
            note={`of ${formatPlural(enforced.requests, "request")} of chosen clients, ${who(clients.enforced)}`}
          />
        )}
      </StatRow>
      <p className="text-sm text-muted">
        From <Time at={report.from} show="absolute" /> to{" "}
        <Time at={report.to} format="time" show="absolute" />, of clients that meet the live
        revision. The candidate began with full counters, so at first it lets more pass.
      </p>
    </section>
  );
}

function verdictWords({ requests, newly, noLonger }: CandidateReport): string {
  if (requests === 0) return "Nothing was counted yet: nobody can say what it would change.";
  if (newly === 0 && noLonger === 0)
    return `It would have changed no answer of ${formatPlural(requests, "request")}.`;
  const parts = [
    ...(newly > 0 ? [`refuse ${formatCount(newly)} more`] : []),
    ...(noLonger > 0 ? [`let ${formatCount(noLonger)} pass that are refused`] : []),
  ];
  return `Of ${formatPlural(requests, "request")} it would ${parts.join(", and ")}.`;
}
