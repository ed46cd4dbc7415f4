import type { BucketState } from "@/lib/core/bucket";
import { type BucketLimit, holdsCost, presentState, takeCost } from "@/lib/core/bucket-limit";
import type { Arrivals } from "./window-trace";

const NEAR = 0.8;

/** At most `quota` requests in any `periodUs`. */
export type Exact = { quota: number; periodUs: number };

/** The times of what counts, of which only those of the last period are kept. */
function createLog({ quota, periodUs }: Exact) {
  const times: number[] = [];
  let head = 0;
  return {
    holds(nowUs: number): boolean {
      while (head < times.length && (times[head] as number) <= nowUs - periodUs) head += 1;
      return times.length - head < quota;
    },
    add: (nowUs: number) => times.push(nowUs),
    count: () => times.length - head,
  };
}

export type WindowError = {
  requests: number;
  clients: number;
  /** Clients whose true rate came to 80 % of the limit, or beyond it. */
  near: number;
  /** Refused by the true log that counts every request. */
  rejected: number;
  /** One history for both: every request counts, as Cloudflare's rates do. */
  wrong: number;
  wronglyRefused: number;
  /** Against a log of what this limiter admitted. */
  wrongOfOwn: number;
  /** Against a log that counts what it admitted itself. */
  wrongOfLog: number;
  /** Admitted by the limiter, and by that log. */
  admitted: number;
  admittedByLog: number;
  /** The most that this limiter admitted of one client in any period, in quotas. */
  most: number;
};

export function windowError(
  trace: Iterable<Arrivals>,
  limit: BucketLimit,
  exact: Exact,
): WindowError {
  const sum: WindowError = {
    requests: 0,
    clients: 0,
    near: 0,
    rejected: 0,
    wrong: 0,
    wronglyRefused: 0,
    wrongOfOwn: 0,
    wrongOfLog: 0,
    admitted: 0,
    admittedByLog: 0,
    most: 0,
  };
  for (const arrivals of trace) {
    sum.clients += 1;
    countAll(sum, arrivals, limit, exact);
    admitSome(sum, arrivals, limit, exact);
  }
  return sum;
}

function countAll(sum: WindowError, arrivals: Arrivals, limit: BucketLimit, exact: Exact): void {
  const log = createLog(exact);
  let state: BucketState | undefined;
  let most = 0;
  for (const nowUs of arrivals) {
    sum.requests += 1;
    state = presentState(state, limit, nowUs);
    const isUnder = log.holds(nowUs);
    const seemsUnder = holdsCost(state, limit, nowUs, 1);
    state = takeCost(state, limit, 1);
    log.add(nowUs);
    most = Math.max(most, log.count());
    if (!isUnder) sum.rejected += 1;
    if (isUnder !== seemsUnder) sum.wrong += 1;
    if (isUnder && !seemsUnder) sum.wronglyRefused += 1;
  }
  if (most >= NEAR * exact.quota) sum.near += 1;
}

function admitSome(sum: WindowError, arrivals: Arrivals, limit: BucketLimit, exact: Exact): void {
  const own = createLog(exact);
  const log = createLog(exact);
  let state: BucketState | undefined;
  for (const nowUs of arrivals) {
    state = presentState(state, limit, nowUs);
    const admits = holdsCost(state, limit, nowUs, 1);
    const logAdmits = log.holds(nowUs);
    if (admits !== own.holds(nowUs)) sum.wrongOfOwn += 1;
    if (admits !== logAdmits) sum.wrongOfLog += 1;
    if (logAdmits) {
      log.add(nowUs);
      sum.admittedByLog += 1;
    }
    if (!admits) continue;
    state = takeCost(state, limit, 1);
    own.add(nowUs);
    sum.admitted += 1;
    sum.most = Math.max(sum.most, own.count() / exact.quota);
  }
}
