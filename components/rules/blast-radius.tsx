import { BarList, BarRow } from "@/components/charts/bar-row";
import { Badge } from "@/components/ui/badge";
import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { UserText } from "@/components/ui/user-text";
import type { EnforcePreview } from "@/lib/core/api/enforce-preview";

type BlastRadiusProps = {
  preview: Pick<EnforcePreview, "radius" | "names" | "protectedPlans">;
};

/** Who is hit: by plan, and the first clients by name. */
export function BlastRadius({ preview: { radius, names, protectedPlans } }: BlastRadiusProps) {
  const { byPlan, topClients } = radius;
  const most = Math.max(1, ...byPlan.map(({ rejections }) => rejections));
  if (byPlan.length === 0) return null;
  return (
    <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
      <section aria-labelledby="hit-plans">
        <h3 id="hit-plans" className="text-sm font-medium text-muted">
          Would be refused, by plan
        </h3>
        <BarList label="Would be refused, by plan">
          {byPlan.map((row) => (
            <BarRow
              key={row.plan}
              tone="shadow"
              label={
                <span className="flex items-center gap-1.5">
                  <UserText>{row.plan}</UserText>
                  {protectedPlans.includes(row.plan) && <Badge tone="warning">protected</Badge>}
                </span>
              }
              value={`${formatCount(row.rejections)}, ${formatPlural(row.clients, "client")}`}
              share={row.rejections / most}
            />
          ))}
        </BarList>
      </section>
      <section aria-labelledby="hit-clients" className="min-w-0">
        <h3 id="hit-clients" className="text-sm font-medium text-muted">
          First clients hit, and of their own requests
        </h3>
        <ol className="mt-1 flex flex-col text-sm">
          {topClients.map((row) => (
            <li key={`${row.client} ${row.plan}`} className="flex justify-between gap-3 py-1">
              <Client {...row} name={names[row.client]} />
              <span className="shrink-0 tabular-nums">
                {formatCount(row.rejections)}
                {row.requests > 0 && (
                  <span className="text-muted">
                    {" · "}
                    {formatShare(Math.min(1, row.rejections / row.requests))}
                  </span>
                )}
              </span>
            </li>
          ))}
        </ol>
        {topClients.length < radius.clients && (
          <p className="text-sm text-muted">
            and {radius.clientsCapped && "at least "}
            {formatCount(radius.clients - topClients.length)} more
          </p>
        )}
      </section>
    </div>
  );
}

type ClientProps = { client: string; plan: string; name: string | undefined };

function Client({ client, plan, name }: ClientProps) {
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
      {name !== undefined && (
        <span className="max-w-full truncate font-medium">
          <UserText>{name}</UserText>
        </span>
      )}
      <UserText code truncate>
        {client}
      </UserText>
      <span className="text-muted">
        on <UserText>{plan}</UserText>
      </span>
    </span>
  );
}
