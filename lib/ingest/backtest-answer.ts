import type { BacktestAnswerFigures, BacktestAnswerResult } from "@/lib/core/api/backtests";
import type { BacktestFigures, BacktestResult } from "@/lib/core/backtest-result";

const POINTS_MAX = 300;
const ROUTES_MAX = 50;
const STEPS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];

type Rest = Pick<BacktestAnswerResult, "refusedThen" | "lines" | "notes">;

/** What is kept of a result: few enough points to draw, and the whole figures of the asked rule only. */
export function backtestAnswer(
  result: BacktestResult,
  asked: string | null,
  rest: Rest,
): BacktestAnswerResult {
  const { fromMs, toMs } = result;
  const stepSeconds = stepOf(fromMs === null || toMs === null ? 0 : toMs - fromMs);
  const own = result.rules.find(({ rule, lane }) => rule === asked && lane === "live");
  return {
    from: fromMs === null ? null : instant(fromMs),
    to: toMs === null ? null : instant(toMs),
    sampling: result.sampling * 100,
    total: figuresOf(result, stepSeconds),
    asked: own === undefined ? null : figuresOf(own, stepSeconds),
    rules: result.rules.map((rule) => ({
      rule: rule.rule,
      lane: rule.lane,
      mode: rule.mode,
      requests: rule.requests,
      rejections: rule.rejections,
      share: rule.share,
      clients: rule.clients,
      clientsRejected: rule.clientsRejected,
      alsoRefused: rule.alsoRefused,
    })),
    demand: own?.demand ?? [],
    lists: { allowed: result.listAllowed, denied: result.listDenied },
    order: { outOfOrder: result.outOfOrder, tooLate: result.tooLate },
    unreadable: result.unreadable,
    ...rest,
    notes: [
      ...rest.notes,
      ...result.notSimulated.map(({ rule, why }) => `Rule ${rule} is not judged: ${why}.`),
    ],
  };
}

function figuresOf(figures: BacktestFigures, stepSeconds: number): BacktestAnswerFigures {
  const { requests, rejections, share, clients, clientsRejected, worstMinutes } = figures;
  const steps = new Map<number, { requests: number; rejections: number }>();
  for (const minute of figures.series) {
    const t = Math.floor(minute.t / 1000 / stepSeconds) * stepSeconds;
    const step = steps.get(t) ?? { requests: 0, rejections: 0 };
    steps.set(t, step);
    step.requests += minute.requests;
    step.rejections += minute.rejections;
  }
  return {
    requests,
    rejections,
    share,
    clients,
    clientsRejected,
    byPlan: figures.byPlan,
    topClients: figures.topClients,
    routes: figures.routes.slice(0, ROUTES_MAX),
    stepSeconds,
    series: [...steps].map(([t, row]) => ({ t: instant(t * 1000), ...row })),
    worst:
      worstMinutes === null
        ? null
        : {
            from: instant(worstMinutes.fromMs),
            to: instant(worstMinutes.toMs),
            requests: worstMinutes.requests,
            rejections: worstMinutes.rejections,
          },
  };
}

function stepOf(lengthMs: number): number {
  return STEPS.find((seconds) => lengthMs / 1000 / seconds <= POINTS_MAX) ?? 2_592_000;
}

function instant(ms: number): string {
  return new Date(Math.floor(ms)).toISOString();
}
