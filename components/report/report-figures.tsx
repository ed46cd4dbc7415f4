import type { ReactNode } from "react";
import { Card } from "@/components/ui/card";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { PlanRow } from "@/lib/core/api/plans";
import type { Report } from "@/lib/core/api/report";
import { OTHER_CLIENTS, OTHER_ROUTE } from "@/lib/core/counts";
import { ClientsTable } from "./clients-table";
import { CoverageCard, type Evidence } from "./coverage-card";
import { FiguresTable } from "./figures-table";
import { HitsTable } from "./hits-table";
import { narrowed, type ReportFilter, type ReportHref } from "./report-address";
import { ReportCharts } from "./report-charts";
import { WorstMinutes } from "./worst-minutes";

const SAMPLES_SHOWN = 5;

type ReportFiguresProps = {
  report: Report;
  evidence: Evidence | null;
  plans: readonly Pick<PlanRow, "id" | "name">[];
  filter: ReportFilter;
  /** Address of these figures with another filter. */
  href: ReportHref;
  /** Address of these figures between two instants. */
  betweenHref: (from: string, to: string) => string;
  /** Address of the log with these figures' time, mode and filter. */
  logHref: (more?: Record<string, string | undefined>) => string;
};

/** The figures behind a verdict, from the whole to single rejections. */
export function ReportFigures(props: ReportFiguresProps) {
  const { report, evidence, plans, filter, href, betweenHref, logHref } = props;
  const { mode, samples } = report;
  const planName = (id: string) => plans.find((plan) => plan.id === id)?.name ?? id;
  const only = (change: ReportFilter) => href(narrowed(filter, change));
  return (
    <>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <Card
          title="Over time"
          description="Lines mark the versions made in this time. The last step is still filling."
        >
          <WorstMinutes report={report} betweenHref={betweenHref} />
          <ReportCharts
            mode={mode}
            series={report.series}
            stepSeconds={report.stepSeconds}
            marks={report.marks}
          />
        </Card>
        <CoverageCard report={report} evidence={evidence} />
      </div>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title="By plan" flush>
          <FiguresTable
            label="By plan"
            head="Plan"
            mode={mode}
            rows={report.byPlan.map((row) => ({
              key: row.plan,
              name: (
                <Narrow to={filter.plan === undefined ? only({ plan: row.plan }) : null}>
                  <UserText>{planName(row.plan)}</UserText>
                </Narrow>
              ),
              requests: row.requests,
              rejections: row.rejections,
              ...(row.clients === null ? {} : { clients: row.clients }),
            }))}
            empty="No request matched in this time."
          />
        </Card>
        <Card title="Routes" flush>
          <FiguresTable
            label="By route"
            head="Route"
            mode={mode}
            rows={report.routes.map((row) => ({
              key: row.route,
              name: (
                <Narrow to={filter.route === undefined ? only({ route: row.route }) : null}>
                  <UserText code={row.route !== OTHER_ROUTE} className="break-all">
                    {row.route === OTHER_ROUTE ? "any other path" : row.route}
                  </UserText>
                </Narrow>
              ),
              requests: row.requests,
              rejections: row.rejections,
            }))}
            empty={
              filter.client === undefined ? (
                "No request matched in this time."
              ) : (
                <ByLog href={logHref()}>A client’s requests are not counted by route.</ByLog>
              )
            }
          />
        </Card>
      </div>
      <Card
        title="Top clients"
        description={clientsNote(report)}
        flush
        footer="A client’s requests are those of the minutes in which it had a rejection. The limit is what holds for it now."
      >
        <ClientsTable
          mode={mode}
          rows={report.topClients}
          planName={planName}
          onlyHref={filter.client === undefined ? (client) => only({ client }) : null}
          empty={
            report.clients === null ? (
              <ByLog href={logHref()}>Clients are not counted by route.</ByLog>
            ) : (
              "No client was refused."
            )
          }
        />
      </Card>
      <Card
        title="Last samples"
        flush
        actions={
          samples.length > 0 && (
            <TextLink href={logHref()} className="text-sm">
              All of them, with filters
            </TextLink>
          )
        }
      >
        <HitsTable
          label="Last samples"
          framed={false}
          hits={samples.slice(0, SAMPLES_SHOWN)}
          clientHref={(client) => only({ client })}
          empty="No rejection was kept."
        />
      </Card>
    </>
  );
}

/** A row's name, leading to the figures of just this row. */
function Narrow({ to, children }: { to: string | null; children: ReactNode }) {
  if (to === null) return children;
  return (
    <TextLink href={to} prefetch={false}>
      {children}
    </TextLink>
  );
}

function ByLog({ href, children }: { href: string; children: ReactNode }) {
  return (
    <>
      {children} <TextLink href={href}>The log has both</TextLink>.
    </>
  );
}

function clientsNote({ clients, clientsCapped, topClients, mode }: Report): string {
  if (clients === null) return "Not known for one route";
  if (clients === 0) return "Nobody";
  const were = clients === 1 ? "was refused" : "were refused";
  const verb = mode === "shadow" ? "would be refused" : were;
  const all = `${clientsCapped ? "At least " : ""}${formatPlural(clients, "client")} ${verb} something`;
  const shown = new Set(topClients.map(({ client }) => client));
  shown.delete(OTHER_CLIENTS);
  return shown.size < clients ? `${all}; the ${shown.size} with most are shown` : all;
}
