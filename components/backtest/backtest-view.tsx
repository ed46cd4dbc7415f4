import { CircleCheck, CircleHelp, Eye, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { clientHref } from "@/components/clients/client-href";
import { FiguresTable } from "@/components/report/figures-table";
import { Banner } from "@/components/ui/banner";
import { Card } from "@/components/ui/card";
import { cn } from "@/components/ui/cn";
import { formatCompact, formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { RowLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { BacktestAnswer, BacktestAnswerResult } from "@/lib/core/api/backtests";
import type { PlanRow } from "@/lib/core/api/plans";
import { OTHER_ROUTE } from "@/lib/core/counts";
import type { CreateBacktest, UseLimit } from "./backtest-actions-data";
import { BacktestCharts } from "./backtest-charts";
import { backtestVerdict, sourceText } from "./backtest-words";
import { BrokenLines } from "./broken-lines";
import { DemandTable } from "./demand-table";
import { type ExploredPlan, LimitExplorer } from "./limit-explorer";

type ViewProps = {
  backtest: BacktestAnswer;
  result: BacktestAnswerResult;
  plans: readonly Pick<PlanRow, "id" | "name" | "protected">[];
  create: CreateBacktest;
  use: UseLimit;
};

export function BacktestView({ backtest, result, plans, create, use }: ViewProps) {
  const { judged, rule } = backtest;
  const figures = result.asked ?? result.total;
  const mode = judged?.mode === "enforce" || judged === null ? "enforce" : "shadow";
  const names = new Map(plans.map(({ id, name }) => [id, name]));
  const explored = result.demand.filter((row): row is ExploredPlan => !("concurrent" in row.limit));
  return (
    <div className="flex flex-col gap-4">
      <Verdict backtest={backtest} plans={plans} />
      {result.notes.length > 0 && (
        <Banner tone="info" title="What these figures leave open">
          <ul className="list-disc ps-4">
            {result.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Banner>
      )}
      {figures.requests > 0 && (
        <>
          {judged !== null &&
            judged.limit.kind === "rate" &&
            result.asked !== null &&
            explored.length > 0 && (
              <>
                <LimitExplorer
                  key={backtest.id}
                  backtest={backtest}
                  judged={{ ...judged, limit: judged.limit }}
                  plans={explored}
                  names={Object.fromEntries(names)}
                  asked={result.asked}
                  create={create}
                  use={use}
                />
                <Card
                  title="What clients really do"
                  description="The most that was asked in one interval of the limit. Proposed is a quarter more than the busiest of 99 in 100 needed."
                  flush
                >
                  <DemandTable
                    rows={result.demand}
                    names={names}
                    countsClients={judged.countBy.every(
                      (part) => part === "client" || part === "apiKey",
                    )}
                  />
                </Card>
              </>
            )}
          <Card title="Over time">
            <BacktestCharts series={figures.series} stepSeconds={figures.stepSeconds} mode={mode} />
            {figures.worst && (
              <p className="mt-3 text-sm text-muted">
                Worst five minutes: {formatCount(figures.worst.rejections)} of{" "}
                {formatPlural(figures.worst.requests, "request")} from{" "}
                <Time at={figures.worst.from} show="absolute" />.
              </p>
            )}
          </Card>
          <div className="grid gap-4 xl:grid-cols-2">
            <Card title="By plan" flush>
              <FiguresTable
                label="By plan"
                head="Plan"
                mode={mode}
                empty="No plan."
                rows={figures.byPlan.map((row) => ({
                  key: row.plan,
                  name: <bdi>{names.get(row.plan) ?? row.plan}</bdi>,
                  requests: row.requests,
                  rejections: row.rejections,
                  clients: row.clientsRejected,
                }))}
              />
            </Card>
            <Card title="By route" flush>
              <FiguresTable
                label="By route"
                head="Route"
                mode={mode}
                empty="No route."
                rows={figures.routes.map(({ route, requests, rejections }) => ({
                  key: route,
                  name:
                    route === OTHER_ROUTE ? "any other path" : <UserText code>{route}</UserText>,
                  requests,
                  rejections,
                }))}
              />
            </Card>
          </div>
          <Card
            title="Clients"
            description={`Those with most rejections first, of ${formatPlural(figures.clients, "client")}.`}
            flush
          >
            <FiguresTable
              label="Clients"
              head="Client"
              mode={mode}
              empty="No client."
              rows={figures.topClients.map(({ client, plan, requests, rejections }) => ({
                key: `${client} ${plan}`,
                name: (
                  <>
                    <RowLink href={clientHref(client)}>
                      <UserText code>{client}</UserText>
                    </RowLink>{" "}
                    <span className="font-normal text-muted">{names.get(plan) ?? plan}</span>
                  </>
                ),
                requests,
                rejections,
              }))}
            />
          </Card>
        </>
      )}
      {rule !== null && <OtherRules rule={rule} rules={result.rules} />}
      {result.lines && <BrokenLines lines={result.lines} />}
    </div>
  );
}

const icons = {
  none: [CircleHelp, "border-warning-border bg-warning-subtle [&_.mark]:text-warning"],
  quiet: [CircleCheck, "border-border bg-surface [&_.mark]:text-success"],
  shadow: [Eye, "border-shadow-border bg-surface [&_.mark]:text-shadow"],
  enforce: [ShieldCheck, "border-enforce-border bg-surface [&_.mark]:text-enforce"],
} as const;

function Verdict({ backtest, plans }: Pick<ViewProps, "backtest" | "plans">) {
  const { result, judged } = backtest;
  const { kind, headline, notes } = backtestVerdict(backtest, plans);
  const [Icon, style] =
    icons[kind === "hits" ? (judged?.mode === "enforce" ? "enforce" : "shadow") : kind];
  return (
    <section aria-label="Verdict" className={cn("rounded-lg border px-4 py-3.5", style)}>
      <div className="flex items-start gap-3">
        <Icon aria-hidden className="mark mt-1 size-5 shrink-0" />
        <div className="min-w-0">
          <p className="text-balance text-xl font-semibold tracking-tight" data-testid="verdict">
            {headline}
          </p>
          {notes.map((note) => (
            <p key={note} className="mt-0.5">
              {note}
            </p>
          ))}
          {result && <Basis backtest={backtest} result={result} />}
        </div>
      </div>
    </section>
  );
}

function Basis({ backtest, result }: { backtest: BacktestAnswer; result: BacktestAnswerResult }) {
  const parts: ReactNode[] = [
    <span key="source">
      {formatCompact(result.total.requests)} requests of{" "}
      {formatPlural(result.total.clients, "client")} on <UserText>{sourceText(backtest)}</UserText>
    </span>,
    ...(result.sampling < 100
      ? [<span key="sampling">{formatShare(result.sampling / 100)} of clients are on tape</span>]
      : []),
    ...(backtest.speed === 1
      ? []
      : [<span key="speed">judged {backtest.speed} times as fast</span>]),
    ...(result.refusedThen === null
      ? []
      : [<span key="then">{formatCount(result.refusedThen)} of them were refused then</span>]),
    ...(result.order.tooLate === 0
      ? []
      : [
          <span key="late">
            {formatCount(result.order.tooLate)} came too late to be put in order
          </span>,
        ]),
  ];
  return (
    <p className="mt-1.5 text-sm text-muted">
      {parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have keys of their own
        <span key={i}>
          {i > 0 && " · "}
          {part}
        </span>
      ))}
    </p>
  );
}

function OtherRules({ rule, rules }: { rule: string; rules: BacktestAnswerResult["rules"] }) {
  const others = rules.filter((row) => row.rule !== rule || row.lane !== "live");
  if (others.length === 0) return null;
  return (
    <Card title="Other rules" description="As they decided the same requests." flush>
      <FiguresTable
        label="Other rules"
        head="Rule"
        mode="enforce"
        empty="No other rule."
        rows={others.map((row) => ({
          key: `${row.lane} ${row.rule} ${row.mode}`,
          name: (
            <>
              <RowLink href={`/rules/${encodeURIComponent(row.rule)}`}>{row.rule}</RowLink>{" "}
              <span className="font-normal text-muted">
                {row.lane === "candidate" ? "candidate, " : ""}
                {row.mode === "shadow" ? "in shadow" : "enforced"}
              </span>
            </>
          ),
          requests: row.requests,
          rejections: row.rejections,
          clients: row.clientsRejected,
        }))}
      />
    </Card>
  );
}
