import type { BacktestFigures, BacktestRow } from "./backtest-result";

export const MINUTE_MS = 60_000;
const WORST_MINUTES = 5;

type ClientRow = BacktestRow & { plan: string };

/** The rows of one tally that a sender's requests of one route count in. */
export type TallyRows = { client: BacktestRow; route: BacktestRow };

export type BacktestTally = ReturnType<typeof createBacktestTally>;

/** Figures of requests as they come. Rows are looked up once, so that counting is adding. */
export function createBacktestTally(topClients: number) {
  const total = newRow();
  /** By plan, then by client: one that changes its plan midway is a row of each. */
  const plans = new Map<string, Map<string, BacktestRow>>();
  const routes = new Map<string, BacktestRow>();
  const minutes = new Map<number, BacktestRow>();
  let lastMinute = Number.NaN;
  let minuteRow = total;
  return {
    /** Rows count as seen from their first request. */
    rowsOf({ client, plan, route }: { client: string; plan: string; route: string }): TallyRows {
      let clients = plans.get(plan);
      if (clients === undefined) {
        clients = new Map();
        plans.set(plan, clients);
      }
      return { client: rowOf(clients, client), route: rowOf(routes, route) };
    },
    count({ client, route }: TallyRows, minute: number, rejections: 0 | 1): void {
      if (minute !== lastMinute) {
        minuteRow = rowOf(minutes, minute);
        lastMinute = minute;
      }
      add(total, rejections);
      add(client, rejections);
      add(route, rejections);
      add(minuteRow, rejections);
    },
    figures(): BacktestFigures {
      const rows = [...plans].flatMap(([plan, clients]) =>
        [...clients]
          .filter(([, { requests }]) => requests > 0)
          .map(([client, row]) => ({ client, plan, ...row })),
      );
      const series = [...minutes]
        .sort(([a], [b]) => a - b)
        .map(([minute, row]) => ({ t: minute * MINUTE_MS, ...row }));
      return {
        ...total,
        share: total.requests === 0 ? 0 : total.rejections / total.requests,
        clients: new Set(rows.map(({ client }) => client)).size,
        clientsRejected: new Set(
          rows.filter(({ rejections }) => rejections > 0).map(({ client }) => client),
        ).size,
        byPlan: byPlan(rows),
        topClients: rows.sort(byRejections).slice(0, topClients),
        routes: [...routes]
          .filter(([, { requests }]) => requests > 0)
          .map(([route, row]) => ({ route, ...row }))
          .sort(byRejections),
        series,
        worstMinutes: worstOf(series),
      };
    },
  };
}

function newRow(): BacktestRow {
  return { requests: 0, rejections: 0 };
}

function add(row: BacktestRow, rejections: 0 | 1): void {
  row.requests += 1;
  row.rejections += rejections;
}

function rowOf<K>(rows: Map<K, BacktestRow>, key: K): BacktestRow {
  let row = rows.get(key);
  if (row === undefined) {
    row = newRow();
    rows.set(key, row);
  }
  return row;
}

function byRejections(a: BacktestRow, b: BacktestRow): number {
  return b.rejections - a.rejections || b.requests - a.requests;
}

function byPlan(rows: readonly ClientRow[]): BacktestFigures["byPlan"] {
  const plans = new Map<string, BacktestFigures["byPlan"][number]>();
  for (const { plan, requests, rejections } of rows) {
    const row = plans.get(plan) ?? {
      plan,
      requests: 0,
      rejections: 0,
      clients: 0,
      clientsRejected: 0,
    };
    plans.set(plan, row);
    row.requests += requests;
    row.rejections += rejections;
    row.clients += 1;
    if (rejections > 0) row.clientsRejected += 1;
  }
  return [...plans.values()].sort(byRejections);
}

function worstOf(series: BacktestFigures["series"]): BacktestFigures["worstMinutes"] {
  let worst: BacktestFigures["worstMinutes"] = null;
  for (const { t } of series) {
    const toMs = t + WORST_MINUTES * MINUTE_MS;
    const row = newRow();
    const start = lowerBound(series, t);
    for (let i = start; i < series.length; i += 1) {
      const minute = series[i];
      if (minute === undefined || minute.t >= toMs) break;
      row.requests += minute.requests;
      row.rejections += minute.rejections;
    }
    if (row.rejections > (worst?.rejections ?? 0)) worst = { fromMs: t, toMs, ...row };
  }
  return worst;
}

function lowerBound(series: BacktestFigures["series"], t: number): number {
  let low = 0;
  let high = series.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((series[middle]?.t ?? 0) < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
