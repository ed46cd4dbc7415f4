import type { Report } from "./api/report";
import { csvLine } from "./csv";

type Cell = string | number | null;

/** One table of all figures, so that a spreadsheet filters by `part` and several reports go below each other. */
const COLUMNS = [
  "rule",
  "mode",
  "part",
  "name",
  "plan",
  "from",
  "to",
  "requests",
  "rejections",
  "newly",
  "wouldReject",
  "share",
  "clients",
  "peakPerMinute",
  "limit",
  "note",
] as const;

type Column = (typeof COLUMNS)[number];
type Line = Partial<Record<Column, Cell>> & { part: string };

/** A report as CSV with the mark by which Excel knows UTF-8: the total first, what it rests on last. */
export function reportCsv(report: Report): string {
  const lines = linesOf(report).map((line) =>
    csvLine(
      COLUMNS.map((column) => {
        if (column === "rule") return report.rule;
        return column === "mode" ? report.mode : (line[column] ?? null);
      }),
    ),
  );
  return `\uFEFF${csvLine(COLUMNS)}${lines.join("")}`;
}

function linesOf(report: Report): Line[] {
  const { worst, byPlan, topClients, routes, series, marks } = report;
  return [
    totalOf(report),
    ...(worst === null ? [] : [{ part: "worst 5 minutes", ...worst }]),
    ...byPlan.map((row) => ({ part: "plan", name: row.plan, ...withShare(row) })),
    ...routes.map((row) => ({ part: "route", name: row.route, ...withShare(row) })),
    ...topClients.map(({ peak, ...row }) => ({
      part: "client",
      name: row.client,
      ...withShare(row),
      peakPerMinute: peak?.perMinute ?? null,
      limit: peak?.limit?.words ?? null,
      note: peak?.limit?.isOverride === true ? "by override" : null,
    })),
    ...series.map((point, i) => stepOf(point, series[i + 1]?.t ?? report.to)),
    ...marks.map(({ t, version, message }) => ({
      part: "version",
      name: `v${version}`,
      from: t,
      note: message,
    })),
    ...report.coverage.perGateway.map(({ id, missingMinutes, dropped }) => ({
      part: "gateway",
      name: id,
      note: `${missingMinutes} minutes without a report, ${dropped} requests not counted`,
    })),
  ];
}

function totalOf(report: Report): Line {
  const { filter, coverage, clients, clientsCapped, basis, resolution } = report;
  const { gateways, reporting, seconds, dropped, sampling } = coverage;
  const asked = (["plan", "route", "client"] as const).flatMap((key) =>
    filter[key] === null ? [] : `${key} ${filter[key]}`,
  );
  const notes = [
    asked.length === 0 ? "" : `only ${asked.join(", ")}`,
    basis === "hitMinutes" ? "of minutes in which the client had a rejection" : "",
    `${reporting} of ${gateways} gateways reported throughout`,
    `counted for ${seconds} s`,
    `${dropped} requests not counted`,
    basis === "hitMinutes" ? "" : `the log keeps ${Number((sampling * 100).toFixed(2))} %`,
    clientsCapped ? "clients are a lower bound" : "",
    ...resolution.notes,
  ];
  return {
    part: "total",
    from: report.from,
    to: report.to,
    ...withShare(report),
    clients,
    note: notes.filter((note) => note !== "").join("; "),
  };
}

/** No figures where nobody reported: no data is not zero. */
function stepOf(point: Report["series"][number], to: string): Line {
  const { t, reported } = point;
  const step = { part: "time", from: t, to };
  return reported ? { ...step, ...withShare(point) } : { ...step, note: "no gateway reported" };
}

type Counted = Pick<Report, "requests" | "rejections" | "newly" | "wouldReject"> & {
  plan?: string;
  clients?: number | null;
};

function withShare({ plan, requests, rejections, newly, wouldReject, clients }: Counted) {
  const share = requests === 0 ? null : Number((rejections / requests).toFixed(6));
  return {
    plan: plan ?? null,
    requests,
    rejections,
    newly,
    wouldReject,
    share,
    clients: clients ?? null,
  };
}
