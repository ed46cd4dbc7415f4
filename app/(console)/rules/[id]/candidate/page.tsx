import type { Metadata } from "next";
import { askFor } from "@/app/_server/page-input";
import { getLiveRule } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { CandidateDialogs } from "@/components/candidate/candidate-dialogs";
import { CandidateView } from "@/components/candidate/candidate-view";
import { NoCandidate } from "@/components/candidate/no-candidate";
import { Banner } from "@/components/ui/banner";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { getCandidateReport } from "@/lib/control";
import type { CandidateDetail } from "@/lib/core/api/candidate";
import type { RuleDetail } from "@/lib/core/api/rules";
import { candidateActions } from "../../candidate-actions";

export const metadata: Metadata = { title: "Candidate" };

const REFRESH_MS = 4000;

export default async function CandidatePage({ params }: { params: Promise<{ id: string }> }) {
  const rule = await getLiveRule(decodeURIComponent((await params).id));
  return (
    <CandidateDialogs actions={candidateActions}>
      <RefreshEvery ms={REFRESH_MS} />
      {rule.candidate === null ? (
        <NoCandidate id={rule.id} mode={rule.mode} />
      ) : (
        <Compared rule={rule} candidate={rule.candidate} />
      )}
    </CandidateDialogs>
  );
}

async function Compared({ rule, candidate }: { rule: RuleDetail; candidate: CandidateDetail }) {
  const asked = await askFor(getCandidateReport(await getPageCtx(), { id: rule.id }));
  if (asked.data === undefined) return <Banner tone="danger" title={asked.problem} />;
  return <CandidateView rule={rule} candidate={candidate} report={asked.data} />;
}
