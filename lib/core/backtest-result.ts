import type { PlanDemand } from "./backtest-proposal";
import type { CountedMode, Lane } from "./counts";

/** One request of a tape or a log, as a gateway would have judged who sent it. */
export type BacktestRequest = {
  /** Epoch, fractions allowed. */
  atMs: number;
  /** `key:<id>` or `ip:<address>`. */
  client: `key:${string}` | `ip:${string}`;
  /** `anonymous` without a key. */
  plan: string;
  /** Without the `customer:` prefix; absent: a key counts as its own customer. */
  customer?: string | null;
  /** The sender's address; what is none counts as unreadable. */
  ip: string;
  method: string;
  /** Request target or canonical path; where only the route is known, that. */
  path: string;
  /** The template that names the route; absent: by the ruleset's routes. */
  route?: string;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** What a trusted header said that the request costs. */
  cost?: number;
};

export type BacktestOptions = {
  /** Requests held back to bring their times in order. */
  windowRequests?: number;
  /** Clients listed with each figure, those with most rejections first. */
  topClients?: number;
  /** Share of the clients that the requests are of, 0..1, such as a tape's; 1: all. */
  sampling?: number;
  /** Divides the time between requests: decided as if they came N times faster (1). */
  speed?: number;
  /** Buckets held before those that are full again are forgotten (200,000); without `demand`. */
  bucketsMax?: number;
  /** Also notes what was asked of each rule, or of one by its id: `demandOf`, and `demand` of its figures. */
  demand?: boolean | string;
};

export type BacktestRow = { requests: number; rejections: number };

/** What was asked and refused; by a shadow rule or candidate: what passed today and it would refuse. */
export type BacktestFigures = BacktestRow & {
  /** rejections / requests, 0..1. */
  share: number;
  clients: number;
  clientsRejected: number;
  byPlan: (BacktestRow & { plan: string; clients: number; clientsRejected: number })[];
  topClients: (BacktestRow & { client: string; plan: string })[];
  routes: (BacktestRow & { route: string })[];
  /** Minutes with a request, in order; `t` is the minute's start, epoch ms. */
  series: (BacktestRow & { t: number })[];
  /** The five minutes with most rejections; null without one. */
  worstMinutes: (BacktestRow & { fromMs: number; toMs: number }) | null;
};

export type BacktestRule = BacktestFigures & {
  rule: string;
  revision: number;
  lane: Lane;
  mode: CountedMode;
  /** Of a shadow rule: requests that it and an enforced rule refuse. */
  alsoRefused: number;
  /** With the option `demand`: what the clients of each plan ask, and a limit for that. */
  demand?: PlanDemand[];
};

export type BacktestResult = BacktestFigures & {
  fromMs: number | null;
  toMs: number | null;
  /** Share of clients that the requests are of; the figures are of these, not scaled up. */
  sampling: number;
  /** Requests that came after a later one, and those too late to be put in order: decided at the time reached. */
  outOfOrder: number;
  tooLate: number;
  /** Requests whose address is none; in no other figure. */
  unreadable: number;
  /** Requests that the allow list let through, and that the deny list refused. */
  listAllowed: number;
  listDenied: number;
  rules: BacktestRule[];
  /** What a backtest cannot judge, in words. */
  notSimulated: { rule: string; why: string }[];
};
