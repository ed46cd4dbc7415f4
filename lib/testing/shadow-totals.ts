import { tokenBucket } from "../core/bucket";
import type { BucketLimit } from "../core/bucket-limit";
import type { CheckResult, CheckRule } from "../core/check";
import { fixedWindow } from "../core/fixed-window";
import { slidingWindow } from "../core/sliding-window";
import { seeded } from "./random";

/** When a request comes, of which client. */
export type Arrival = { atUs: number; client: number };

type Shape = { seed: number; clients: number; requests: number; seconds: number; burst: number };

/** Clients of very different weight; each comes in bursts, a fifth of a second between two requests. */
export function arrivals({ seed, clients, requests, seconds, burst }: Shape): Arrival[] {
  const random = seeded(seed);
  const some = (mean: number) => -Math.log(1 - random()) * mean;
  const weights = Array.from({ length: clients }, (_, client) => 1 / (client + 3) ** 0.9);
  const all = weights.reduce((sum, weight) => sum + weight);
  return weights
    .flatMap((weight, client) => {
      const own: Arrival[] = [];
      for (let left = Math.ceil((requests * weight) / all); left > 0; ) {
        let second = random() * seconds;
        for (let i = Math.ceil(some(burst)); i > 0 && left > 0; i -= 1, left -= 1) {
          own.push({ atUs: Math.round(second * 1e6), client });
          second += some(0.2);
        }
      }
      return own;
    })
    .sort((a, b) => a.atUs - b.atUs);
}

/** Limits by how long they remember: until what was spent at once is back, or its window over. */
export const LIMITS: { seconds: number; limit: BucketLimit }[] = [
  { seconds: 1, limit: tokenBucket({ rate: 5, per: "1s", burst: 5 }) },
  { seconds: 4, limit: tokenBucket({ rate: 2, per: "1s", burst: 8 }) },
  { seconds: 20, limit: tokenBucket({ rate: 60, per: "1m", burst: 20 }) },
  { seconds: 60, limit: slidingWindow({ rate: 40, per: "1m" }) },
  { seconds: 600, limit: tokenBucket({ rate: 600, per: "1h", burst: 100 }) },
  { seconds: 3600, limit: fixedWindow({ rate: 300, per: "1h" }, "UTC") },
];

type Watched = { role: CheckRule["role"]; limit: BucketLimit; others: readonly BucketLimit[] };

/** The watched rule and, enforced, the others; each counts by client. */
export function checkRules(
  run: string,
  client: number,
  { role, limit, others }: Watched,
): CheckRule[] {
  const key = `${run}:{c${client}}`;
  return [
    { ruleId: "watched", key, slot: 1, role, limit, cost: 1 },
    ...others.map((other, i): CheckRule => {
      return { ruleId: `other${i}`, key, slot: 2 + i, role: "enforced", limit: other, cost: 1 };
    }),
  ];
}

/** What was refused, and what in shadow would be. */
export class Totals {
  refused = 0;
  newly = 0;
  /** By client: refused by the others, and newly. */
  readonly clients = new Map<number, { refused: number; newly: number }>();

  count(client: number, result: CheckResult): void {
    if (result.verdict === "unavailable") throw new Error(result.message);
    const row = this.clients.get(client) ?? { refused: 0, newly: 0 };
    this.clients.set(client, row);
    const what = result.verdict === "refused" ? "refused" : "newly";
    if (what === "newly" && result.perRule[0]?.allowed !== false) return;
    this[what] += 1;
    row[what] += 1;
  }

  get all(): number {
    return this.refused + this.newly;
  }

  /** Requests of clients that both refuse: only theirs can come out otherwise once the rule is enforced. */
  get disputed(): number {
    let sum = 0;
    for (const { refused, newly } of this.clients.values()) sum += Math.min(refused, newly);
    return sum;
  }
}
