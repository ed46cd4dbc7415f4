import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";
import type { Report } from "./api/report";
import { reportCsv } from "./report-csv";

const of = (requests: number, rejections: number) => ({
  requests,
  rejections,
  newly: rejections,
  wouldReject: rejections,
});
const report: Report = {
  rule: "per-key",
  mode: "shadow",
  revision: 2,
  from: "2026-11-30T02:00:00.000Z",
  to: "2026-11-30T02:02:00.000Z",
  filter: { plan: null, route: "/v1/links", client: null },
  basis: "requests",
  ...of(1000, 5),
  share: 0.005,
  clients: null,
  clientsCapped: false,
  byPlan: [{ plan: "free", ...of(1000, 5), clients: null }],
  topClients: [
    {
      client: "key:a",
      plan: "free",
      ...of(20, 5),
      peak: { perMinute: 20, limit: { words: "15 per 1m", perMinute: 30, isOverride: true } },
    },
  ],
  routes: [{ route: "=cmd()", ...of(3, 0) }],
  stepSeconds: 60,
  series: [
    { t: "2026-11-30T02:00:00.000Z", ...of(1000, 5), reported: true },
    { t: "2026-11-30T02:01:00.000Z", ...of(0, 0), reported: false },
  ],
  worst: null,
  resolution: { parts: [], worstFrom: null, notes: ["minutes are gone"] },
  marks: [{ t: "2026-11-30T02:00:30.000Z", version: 7, kind: "publish", message: "a, b" }],
  samples: [],
  coverage: {
    gateways: 2,
    reporting: 1,
    sampling: 0.5,
    dropped: 3,
    droppedShare: 0.003,
    seconds: 120,
    enough: false,
    why: [],
    bounds: { minSeconds: 60, minRequests: 1, maxDroppedShare: 0.01 },
    perGateway: [{ id: "gw-1", minutes: 1, missingMinutes: 1, dropped: 3 }],
    lastReportAt: null,
  },
};

const rows: Record<string, string>[] = parse(reportCsv(report), { columns: true, bom: true });
const only = (part: string) => rows.filter((row) => row.part === part);

it("puts all figures into one table, the total and what it rests on first", () => {
  expect(rows[0]).toMatchObject({
    rule: "per-key",
    mode: "shadow",
    part: "total",
    requests: "1000",
    rejections: "5",
    share: "0.005",
    clients: "",
    note: "only route /v1/links; 1 of 2 gateways reported throughout; counted for 120 s; 3 requests not counted; the log keeps 50 %; minutes are gone",
  });
  expect(rows.map(({ part }) => part)).toEqual(
    "total plan route client time time version gateway".split(" "),
  );
  expect(only("client")).toMatchObject([
    { name: "key:a", peakPerMinute: "20", limit: "15 per 1m", note: "by override" },
  ]);
  expect(only("version")).toMatchObject([{ name: "v7", note: "a, b" }]);
});

it("has no zero where nobody reported", () => {
  expect(only("time")).toMatchObject([
    { from: "2026-11-30T02:00:00.000Z", to: "2026-11-30T02:01:00.000Z", requests: "1000" },
    { requests: "", rejections: "", note: "no gateway reported" },
  ]);
});

it("runs nothing in a spreadsheet", () => {
  expect(only("route")).toMatchObject([{ name: "'=cmd()" }]);
});
