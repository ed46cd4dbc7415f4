import { z } from "zod";
import { OTHER_CLIENTS } from "@/lib/core/counts";
import type { Reader } from "@/lib/db/client";
import { type Figures, figuresOf } from "./report-figures";
import type { Part } from "./report-parts";
import { clientRows, type ReportScope, shownOf } from "./report-rows";

const TOP_CLIENTS = 20;

export type TopClient = Figures & {
  client: string;
  plan: string;
  /** Most requests in one minute in which it had a hit. */
  peak: number;
};

export type ClientFigures = {
  /** With a hit. */
  clients: number;
  clientsByPlan: Map<string, number>;
  top: TopClient[];
  /** Some were beyond a gateway's bound and are summed as `other`. */
  hasOther: boolean;
};

const count = z.number();
const TopSchema = z.array(
  z.object({
    client: z.string(),
    plan: z.string(),
    requests: count,
    rejections: count,
    newly: count,
    peak: count,
  }),
);
const PlansSchema = z.array(z.object({ plan: z.string(), clients: count, others: count }));

/** Clients with a hit; their requests are those of minutes in which they had one. Null: not counted by route. */
export async function clientFigures(
  reader: Reader,
  scope: ReportScope,
  parts: readonly Part[],
): Promise<ClientFigures | null> {
  const { mode, route } = scope;
  if (route !== null) return null;
  const shown = shownOf(mode);
  const [row] = await reader.$queryRaw<{ top: unknown; plans: unknown; clients: number }[]>`
    WITH hit AS MATERIALIZED (
      SELECT client, plan, sum(requests::float8) AS requests, sum(rejections::float8) AS rejections,
        sum(newly::float8) AS newly, max(peak) AS peak
      FROM ${clientRows(scope, parts)}
      GROUP BY client, plan HAVING sum(${shown}::float8) > 0),
    top AS (SELECT * FROM hit ORDER BY ${shown} DESC, client, plan LIMIT ${TOP_CLIENTS}),
    plans AS (
      SELECT plan, count(*) FILTER (WHERE client <> ${OTHER_CLIENTS}) AS clients,
        count(*) FILTER (WHERE client = ${OTHER_CLIENTS}) AS others
      FROM hit GROUP BY plan)
    SELECT (SELECT COALESCE(json_agg(top ORDER BY ${shown} DESC, client, plan), '[]') FROM top) AS top,
      (SELECT COALESCE(json_agg(plans), '[]') FROM plans) AS plans,
      (SELECT count(*)::int FROM (SELECT FROM hit WHERE client <> ${OTHER_CLIENTS} GROUP BY client) each) AS clients`;
  const plans = PlansSchema.parse(row?.plans ?? []);
  return {
    clients: row?.clients ?? 0,
    clientsByPlan: new Map(plans.map(({ plan, clients }) => [plan, clients])),
    top: TopSchema.parse(row?.top ?? []).map(({ client, plan, peak, ...sums }) => ({
      ...{ client, plan, peak },
      ...figuresOf(sums, mode),
    })),
    hasOther: plans.some(({ others }) => others > 0),
  };
}
