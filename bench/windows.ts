import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseAccessLogLine } from "@/lib/core/access-log";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { seeded } from "@/lib/testing/random";
import { benchCalendar } from "./calendar";
import { type Figure, figure } from "./figure";
import { type WindowError, windowError } from "./window-error";
import { type Arrivals, floodTrace, webTrace } from "./window-trace";

const HOUR = 3600;
const PER = "1m";
const PERIOD_US = 60_000_000;
const WEB = { clients: 12_000, requests: 1_200_000, seconds: HOUR };
const FLOODED = { clients: 11_988, requests: 2_000_000, seconds: 2 * HOUR };
const FLOODS = { clients: 12, seconds: 2 * HOUR };

/**
 * How often the two counters of a sliding window decide otherwise than a true log, beside a fixed window as control.
 * `wrong` is meant as Cloudflare's 0.003 % is ("How we built rate limiting capable of scaling to millions of domains"):
 * every request counts, refused or not, and a request is refused while its client's rate is above the limit.
 * A limiter that counts only what it admits holds an insistent client exactly at the limit, where a single request
 * makes the difference: of-own and of-log say how often, admitted-beyond-log how little that comes to.
 */
export async function benchWindows(logs: readonly string[]): Promise<Figure[]> {
  return [...benchCalendar(), ...benchWeb(), ...benchFloods(), ...logs.flatMap(benchLog)];
}

function benchWeb(): Figure[] {
  const { sliding, fixed } = bothErrors([...webTrace({ ...WEB, random: seeded(1) })], 100);
  return [
    ...figuresOf("windows.web", sliding, fixed),
    figure("windows.web.fixed-to-sliding", fixed.wrong / sliding.wrong, "x", { atLeast: 10 }),
  ];
}

/** A limit that one client in a thousand comes near: those that send ten to sixty times as much, and nobody else. */
function benchFloods(): Figure[] {
  const quota = 1000;
  const perSecond = [quota / 6, quota] as const;
  const random = seeded(5);
  const trace = [
    ...webTrace({ ...FLOODED, random }),
    ...floodTrace({ ...FLOODS, perSecond, random }),
  ];
  const { sliding, fixed } = bothErrors(trace, quota);
  const near = percent(sliding.near, sliding.clients);
  return [
    ...figuresOf("windows.floods", sliding, fixed),
    figure("windows.floods.clients-near", near, "%", { atMost: 0.1 }),
    figure("windows.floods.error", percent(sliding.wrong, sliding.requests), "%", {
      atMost: 0.003,
    }),
  ];
}

/** A real log, at the greatest limit that refuses a twentieth. */
function benchLog(path: string): Figure[] {
  const byClient = new Map<string, number[]>();
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const parsed = parseAccessLogLine(line);
    if (!("ok" in parsed)) continue;
    const { client, atMs } = parsed.ok;
    const arrivals = byClient.get(client) ?? [];
    arrivals.push(atMs * 1000);
    byClient.set(client, arrivals);
  }
  const trace = [...byClient.values()].map((arrivals) => arrivals.sort((a, b) => a - b));
  const name = `windows.${basename(path)}`;
  let quota = 1;
  while (refusesTwentieth(trace, quota * 2)) quota *= 2;
  for (let step = quota / 2; step >= 1; step /= 2)
    if (refusesTwentieth(trace, quota + step)) quota += step;
  const { sliding, fixed } = bothErrors(trace, quota);
  return [figure(`${name}.limit`, quota, "a minute"), ...figuresOf(name, sliding, fixed)];
}

function refusesTwentieth(trace: readonly Arrivals[], quota: number): boolean {
  const { rejected, requests } = errorOfSliding(trace, quota);
  return requests > 0 && rejected / requests >= 0.05;
}

function bothErrors(trace: readonly Arrivals[], quota: number) {
  const fixed = windowError(trace, fixedWindow({ rate: quota, per: PER }, "UTC"), {
    quota,
    periodUs: PERIOD_US,
  });
  return { sliding: errorOfSliding(trace, quota), fixed };
}

function errorOfSliding(trace: readonly Arrivals[], quota: number): WindowError {
  const limit = slidingWindow({ rate: quota, per: PER });
  return windowError(trace, limit, { quota, periodUs: PERIOD_US });
}

function figuresOf(name: string, sliding: WindowError, fixed: WindowError): Figure[] {
  const { requests, clients, near, rejected } = sliding;
  return [
    figure(`${name}.requests`, requests, "requests"),
    figure(`${name}.clients`, clients, "clients"),
    figure(`${name}.clients-near-or-over`, percent(near, clients), "%"),
    figure(`${name}.rejected`, percent(rejected, requests), "%"),
    ...sideOf(`${name}.sliding`, sliding),
    ...sideOf(`${name}.fixed`, fixed),
  ];
}

function sideOf(name: string, error: WindowError): Figure[] {
  const { requests, wrong, wronglyRefused, wrongOfOwn, wrongOfLog, admitted, admittedByLog } =
    error;
  return [
    figure(`${name}.wrong`, percent(wrong, requests), "%"),
    figure(`${name}.wrongly-refused`, percent(wronglyRefused, requests), "%"),
    figure(`${name}.wrong-of-own`, percent(wrongOfOwn, requests), "%"),
    figure(`${name}.wrong-of-log`, percent(wrongOfLog, requests), "%"),
    figure(`${name}.admitted-beyond-log`, percent(admitted - admittedByLog, admittedByLog), "%"),
    figure(`${name}.most-in-a-period`, error.most, "quotas"),
  ];
}

function percent(part: number, whole: number): number {
  return (100 * part) / whole;
}
