import type { ClientRow, CountBatch, CountRow, Hit } from "@/lib/core/counts";

export type Figures = { requests: number; rejections: number; newly: number };
type RuleKey = Pick<CountRow, "rule" | "revision" | "mode" | "lane" | "plan">;

/** `minute` is in Unix minutes everywhere. */
export type CountMinuteRow = RuleKey & { minute: number; route: string; kept: number } & Figures;
export type ClientMinuteRow = RuleKey & { minute: number; client: string } & Figures;
export type GatewayMinuteRow = {
  minute: number;
  gateway: string;
  requests: number;
  refused: number;
  local: number;
  unchecked: number;
  batches: number;
  droppedRequests: number;
  droppedClients: number;
  droppedHits: number;
};

export type RollUp = {
  counts: CountMinuteRow[];
  clients: ClientMinuteRow[];
  gateways: GatewayMinuteRow[];
};

/** Sums many batches to one row per key, so that each row of a table is written once a transaction. */
export function rollUp(batches: readonly CountBatch[]): RollUp {
  const counts = new Map<string, CountMinuteRow>();
  const clients = new Map<string, ClientMinuteRow>();
  const gateways = new Map<string, GatewayMinuteRow>();
  for (const batch of batches) {
    for (const row of batch.counts) addCount(counts, row);
    for (const hit of batch.hits) addKept(counts, hit);
    for (const row of batch.clients) addClient(clients, row);
    addGateway(gateways, batch);
  }
  return {
    counts: [...counts.values()],
    clients: [...clients.values()],
    gateways: [...gateways.values()],
  };
}

/** The minute that a batch is counted in: the one in which it began. */
export function minuteOf(batch: CountBatch): number {
  return Math.floor(batch.fromMs / 60_000);
}

function addCount(rows: Map<string, CountMinuteRow>, { second, ...row }: CountRow): void {
  const minute = Math.floor(second / 60);
  add(rows, countKey(minute, row), { ...row, minute, kept: 0 });
}

/** A hit of the log, counted where its rejection is: the share that was kept is known by rule, plan and route. */
function addKept(rows: Map<string, CountMinuteRow>, hit: Hit): void {
  const minute = Math.floor(hit.atMs / 60_000);
  const { rule, revision, mode, lane, plan, route } = hit;
  const row = { rule, revision, mode, lane, plan, route, requests: 0, rejections: 0, newly: 0 };
  add(rows, countKey(minute, row), { ...row, minute, kept: 0 }).kept += 1;
}

function countKey(minute: number, row: RuleKey & { route: string }): string {
  const { rule, revision, mode, lane, plan, route } = row;
  return JSON.stringify([minute, rule, revision, mode, lane, plan, route]);
}

function addClient(rows: Map<string, ClientMinuteRow>, row: ClientRow): void {
  const { minute, rule, revision, mode, lane, plan, client } = row;
  add(rows, JSON.stringify([minute, rule, revision, mode, lane, plan, client]), { ...row });
}

function add<Row extends Figures>(rows: Map<string, Row>, key: string, row: Row): Row {
  const held = rows.get(key);
  if (held === undefined) {
    rows.set(key, row);
    return row;
  }
  held.requests += row.requests;
  held.rejections += row.rejections;
  held.newly += row.newly;
  return held;
}

function addGateway(rows: Map<string, GatewayMinuteRow>, batch: CountBatch): void {
  const minute = minuteOf(batch);
  const key = `${minute} ${batch.gateway}`;
  const held = rows.get(key);
  rows.set(key, {
    minute,
    gateway: batch.gateway,
    requests: batch.traffic.requests + (held?.requests ?? 0),
    refused: batch.traffic.refused + (held?.refused ?? 0),
    local: batch.traffic.local + (held?.local ?? 0),
    unchecked: batch.traffic.unchecked + (held?.unchecked ?? 0),
    batches: 1 + (held?.batches ?? 0),
    droppedRequests: batch.dropped.requests + (held?.droppedRequests ?? 0),
    droppedClients: batch.dropped.clients + (held?.droppedClients ?? 0),
    droppedHits: batch.dropped.hits + (held?.droppedHits ?? 0),
  });
}
