import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { askFor } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { BacktestProgress } from "@/components/backtest/backtest-progress";
import { BacktestStatus } from "@/components/backtest/backtest-status";
import { BacktestView } from "@/components/backtest/backtest-view";
import { sourceText } from "@/components/backtest/backtest-words";
import { DeleteBacktest } from "@/components/backtest/delete-backtest";
import { Banner } from "@/components/ui/banner";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import { getBacktest, listPlanNames } from "@/lib/control";
import type { BacktestAnswer } from "@/lib/core/api/backtests";
import { limitSentence } from "@/lib/core/limit-sentence";
import {
  cancelBacktestAction,
  createBacktestAction,
  deleteBacktestAction,
  useLimitAction,
} from "../actions";

export const metadata: Metadata = { title: "Backtest" };

export default async function BacktestPage({ params }: { params: Promise<{ id: string }> }) {
  const ctx = await getPageCtx();
  const { id } = await params;
  const [{ data: backtest }, plans] = await Promise.all([
    askFor(getBacktest(ctx, { id })),
    listPlanNames(ctx),
  ]);
  if (backtest === undefined) notFound();
  const { state, result } = backtest;
  return (
    <>
      <PageHeader
        title={titleOf(backtest)}
        breadcrumbs={[{ href: "/backtest", label: "Backtest" }]}
        badges={<BacktestStatus {...backtest} />}
        description={<Asked backtest={backtest} />}
        actions={
          <>
            <ButtonLink href={againHref(backtest)}>New backtest</ButtonLink>
            <DeleteBacktest row={backtest} remove={deleteBacktestAction} leave />
          </>
        }
      />
      {(state === "waiting" || state === "running") && (
        <BacktestProgress first={backtest} cancel={cancelBacktestAction} />
      )}
      {state === "failed" && (
        <Banner tone="danger" title="It failed">
          {backtest.error}
        </Banner>
      )}
      {state === "cancelled" && (
        <Banner tone="info" title="It was cancelled before its end">
          There is no result.
        </Banner>
      )}
      {result && (
        <BacktestView
          backtest={backtest}
          result={result}
          plans={plans}
          create={createBacktestAction}
          use={useLimitAction}
        />
      )}
    </>
  );
}

function Asked({ backtest }: { backtest: BacktestAnswer }) {
  const { ruleset, version, judged, replaced, actor, createdAt } = backtest;
  return (
    <>
      {judged && <span className="block text-text">{limitSentence(judged)}</span>}
      {ruleset === "draft" ? "A draft" : "The live ruleset"} on version {version}
      {replaced.length > 0 && `, with another ${replaced.join(", ")}`}, over{" "}
      <UserText>{sourceText(backtest)}</UserText>. Asked for by <UserText>{actor.name}</UserText>,{" "}
      <Time at={createdAt} show="age" />.
    </>
  );
}

/** A rule's name, where the backtest has none of its own. */
function titleOf({ name, rule, judged }: BacktestAnswer): string {
  return name === rule && judged !== null ? judged.name : name;
}

function againHref({ rule, ruleset }: BacktestAnswer): string {
  if (rule === null) return "/backtest";
  return `/backtest?${new URLSearchParams({ rule, of: ruleset })}`;
}
