import { hammer } from "@/lib/testing/hammer";
import { startRedis } from "@/lib/testing/redis";
import { type Figure, figure } from "./figure";

const AMOUNT = { rate: 1_000, per: "1s", burst: 500 };
const SIZE = { seconds: 30, processes: 4, limiters: 10 };

/** 40 limiters in four processes hit one key for half a minute, as fast as they can. */
export async function benchHammer(): Promise<Figure[]> {
  const server = await startRedis();
  try {
    const figures: Figure[] = [];
    for (const precision of ["exact", "leased"] as const) {
      const plan = { redisUrl: server.url, principal: `key:${precision}`, precision };
      const result = await hammer({ ...plan, amount: AMOUNT, ...SIZE });
      const { admitted, refused, local, calls, firstUs, lastUs, seconds } = result;
      const bound = AMOUNT.burst + AMOUNT.rate * seconds;
      // Of the time in which there were checks.
      const mayPass = AMOUNT.burst + (AMOUNT.rate * (lastUs - firstUs)) / 1_000_000;
      const name = `hammer.${precision}`;
      const checks = admitted + refused + local;
      figures.push(
        figure(`${name}.checks`, checks / seconds, "/s"),
        figure(`${name}.decided-locally`, local, "checks", { atMost: 0 }),
        figure(`${name}.admitted-beyond-bound`, Math.max(0, admitted - bound), "tokens", {
          atMost: 0,
        }),
        figure(
          `${name}.admitted-of-bound`,
          admitted / mayPass,
          "x",
          precision === "exact" ? { atLeast: 0.99 } : undefined,
        ),
        figure(`${name}.calls-per-check`, calls / checks, "x"),
      );
    }
    return figures;
  } finally {
    await server.stop();
  }
}
