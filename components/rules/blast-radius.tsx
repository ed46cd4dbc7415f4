import { BarList, BarRow } from "@/components/charts/bar-row";
import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { Report } from "@/lib/core/api/report";

const CLIENTS_SHOWN = 5;

/** Who is hit: by plan, and the first clients by name. */
export function BlastRadius({ report }: { report: Report }) {
  const plans = report.byPlan.filter(({ rejections }) => rejections > 0);
  const clients = report.topClients.filter(({ rejections }) => rejections > 0);
  const most = Math.max(1, ...plans.map(({ rejections }) => rejections));
  if (plans.length === 0) return null;
  return (
    <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
      <section aria-labelledby="hit-plans">
        <h3 id="hit-plans" className="text-sm font-medium text-muted">
          Would be refused, by plan
        </h3>
        <BarList label="Would be refused, by plan">
          {plans.map((row) => (
            <BarRow
              key={row.plan}
              tone="shadow"
              label={<UserText>{row.plan}</UserText>}
              value={`${formatCount(row.rejections)}, ${formatPlural(row.clients ?? 0, "client")}`}
              share={row.rejections / most}
            />
          ))}
        </BarList>
      </section>
      <section aria-labelledby="hit-clients" className="min-w-0">
        <h3 id="hit-clients" className="text-sm font-medium text-muted">
          First clients hit
        </h3>
        <ol className="mt-1 flex flex-col text-sm">
          {clients.slice(0, CLIENTS_SHOWN).map((row) => (
            <li key={`${row.client} ${row.plan}`} className="flex justify-between gap-3 py-1">
              <span className="min-w-0">
                <UserText code truncate>
                  {row.client}
                </UserText>{" "}
                <span className="text-muted">
                  on <UserText>{row.plan}</UserText>
                </span>
              </span>
              <span className="shrink-0 tabular-nums">
                {formatCount(row.rejections)}
                {row.requests > 0 && (
                  <span className="text-muted">
                    {" "}
                    · {formatShare(Math.min(1, row.rejections / row.requests))}
                  </span>
                )}
              </span>
            </li>
          ))}
        </ol>
        <TextLink
          className="text-sm"
          href={`/rules/${encodeURIComponent(report.rule)}/report`}
          target="_blank"
        >
          The whole report, in a new tab
        </TextLink>
      </section>
    </div>
  );
}
