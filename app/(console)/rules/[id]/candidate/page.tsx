import type { Metadata } from "next";
import { askFor } from "@/app/_server/page-input";
import { getLiveRule } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { CandidateView } from "@/components/candidate/candidate-view";
import { NoCandidate } from "@/components/candidate/no-candidate";
import { Banner } from "@/components/ui/banner";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { getCandidateReport } from "@/lib/control";
import { candidateActions } from "../../candidate-actions";

export const metadata: Metadata = { title: "Candidate" };

const REFRESH_MS = 4000;

export default async function CandidatePage({ params }: { params: Promise<{ id: string }> }) {
  const rule = await getLiveRule(decodeURIComponent((await params).id));
  const { candidate } = rule;
  if (candidate === null) return <NoCandidate id={rule.id} mode={rule.mode} />;
  const asked = await askFor(getCandidateReport(await getPageCtx(), { id: rule.id }));
  if (asked.data === undefined) return <Banner tone="danger" title={asked.problem} />;
  return (
    <>
      <RefreshEvery ms={REFRESH_MS} />
      <CandidateView
        rule={rule}
        candidate={candidate}
        report={asked.data}
        actions={candidateActions}
      />
    </>
  );
}
