import { Card } from "@/components/ui/card";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { PlanRow } from "@/lib/core/api/plans";
import type { Report } from "@/lib/core/api/report";
import { CoverageCard } from "./coverage-card";
import { FiguresTable } from "./figures-table";
import { HitsTable } from "./hits-table";
import { ReportCharts } from "./report-charts";

const OTHER = "other";
const SAMPLES_SHOWN = 5;

type ReportFiguresProps = {
  report: Report;
  plans: readonly Pick<PlanRow, "id" | "name">[];
  /** Address of the log with these figures' time and mode. */
  logHref: (more?: Record<string, string | undefined>) => string;
};

/** The figures behind a verdict, from the whole to single rejections. */
export function ReportFigures({ report, plans, logHref }: ReportFiguresProps) {
  const { mode, coverage, samples } = report;
  const planName = (id: string) => plans.find((plan) => plan.id === id)?.name ?? id;
  return (
    <>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <Card
          title="Over time"
          description="Lines mark the versions made in this time. The last step is still filling."
        >
          <ReportCharts
            mode={mode}
            series={report.series}
            stepSeconds={report.stepSeconds}
            marks={report.marks}
          />
        </Card>
        <CoverageCard coverage={coverage} requests={report.requests} mode={mode} />
      </div>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title="By plan" flush>
          <FiguresTable
            label="By plan"
            head="Plan"
            mode={mode}
            rows={report.byPlan.map((row) => ({
              key: row.plan,
              name: <UserText>{planName(row.plan)}</UserText>,
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
                <UserText code={row.route !== OTHER} className="break-all">
                  {row.route === OTHER ? "any other path" : row.route}
                </UserText>
              ),
              requests: row.requests,
              rejections: row.rejections,
            }))}
            empty="No request matched in this time."
          />
        </Card>
      </div>
      <Card
        title="Top clients"
        description={clientsNote(report)}
        flush
        footer="A client's requests are those of the minutes in which it had a rejection."
      >
        <FiguresTable
          label="Top clients"
          head="Client"
          mode={mode}
          shareHead="Share of its own"
          rows={report.topClients.map((row) => ({
            key: `${row.client} ${row.plan}`,
            name:
              row.client === OTHER ? (
                <span className="font-normal">all further clients together</span>
              ) : (
                <TextLink href={logHref({ client: row.client })} prefetch={false}>
                  <UserText code truncate className="max-w-60">
                    {row.client}
                  </UserText>
                </TextLink>
              ),
            plan: <UserText>{planName(row.plan)}</UserText>,
            requests: row.requests,
            rejections: row.rejections,
          }))}
          empty={
            report.requests === 0 ? "Nothing is known of this time." : "No client was refused."
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
          clientHref={(client) => logHref({ client })}
          empty={
            report.requests === 0 ? "Nothing is known of this time." : "No rejection was kept."
          }
        />
      </Card>
    </>
  );
}

function clientsNote({ clients, clientsCapped, topClients, mode }: Report): string {
  if (clients === null) return "Clients are not counted by route.";
  if (clients === 0) return "Nobody";
  const were = clients === 1 ? "was refused" : "were refused";
  const verb = mode === "shadow" ? "would be refused" : were;
  const all = `${clientsCapped ? "At least " : ""}${formatPlural(clients, "client")} ${verb} something`;
  const shown = topClients.filter(({ client }) => client !== OTHER).length;
  return shown < clients ? `${all}; the ${shown} with most are shown` : all;
}
