import { type DiagnosisLine, fail, ok, warn } from "@/lib/core/api/diagnosis";
import type { RedisAddress } from "@/lib/redis/connect";
import { inspectRedis, type RedisFacts } from "@/lib/redis/inspect";
import type { Control, ControlConfig } from "./context";

const REDIS_MIN = 7;
/** Beyond it what people read as times (expiries, reports) is off by seconds. */
export const CLOCK_MS = 1_000;

/** Every server that is configured, each for what it is used for. */
export async function diagnoseRedis({
  config,
  log,
}: Pick<Control, "config" | "log">): Promise<DiagnosisLine[]> {
  const { ca } = config.redis;
  const lines = await Promise.all(
    servers(config).map(async ({ address, holds }) => {
      const found = await inspectRedis({ address, log, ...(ca === undefined ? {} : { ca }) });
      const what = `${found.address} (${holds.join(", ")})`;
      if (found.ok) return judge(what, found, holds.includes("snapshot and streams"));
      return [
        fail(
          "redis",
          `${what} cannot be used: ${found.reason}`,
          "Start it, or mend its address, user and password. Until then gateways decide by their own share.",
        ),
      ];
    }),
  );
  return lines.flat();
}

function servers({ redis }: ControlConfig): { address: RedisAddress; holds: string[] }[] {
  const state = redis.state.kind === "single" ? [redis.state.node] : redis.state.nodes;
  const control = redis.control.kind === "single" ? [redis.control.node] : redis.control.nodes;
  const held = new Map<string, { address: RedisAddress; holds: string[] }>();
  const add = (address: RedisAddress, what: string) => {
    const place = `${address.host} ${address.port} ${address.database}`;
    const known = held.get(place);
    if (known === undefined) held.set(place, { address, holds: [what] });
    else known.holds.push(what);
  };
  for (const address of state) add(address, "counters");
  for (const address of control) add(address, "snapshot and streams");
  return [...held.values()];
}

function judge(what: string, facts: RedisFacts, holdsControl: boolean): DiagnosisLine[] {
  const { version, evicts, offsetMs } = facts;
  const lines: DiagnosisLine[] = [];
  if (version === null)
    lines.push(
      warn("redis", `${what} answers, but does not tell its version`, "Allow its user INFO."),
    );
  else if (Number.parseInt(version, 10) < REDIS_MIN)
    lines.push(
      fail("redis", `${what} is version ${version}`, `Run version ${REDIS_MIN} or later.`),
    );
  else lines.push(ok("redis", `${what} is version ${version}`));
  if (evicts === null)
    lines.push(
      warn(
        "redis",
        `${what}: what it evicts when its memory is full could not be read`,
        "See that maxmemory-policy is noeviction, or that maxmemory is 0.",
      ),
    );
  else if (evicts !== "noeviction")
    lines.push(
      warn(
        "redis",
        `${what}: maxmemory-policy is ${evicts}, so that when its memory is full ${evictedWords(evicts, holdsControl)}`,
        "Set maxmemory-policy noeviction, and maxmemory beyond what is used.",
      ),
    );
  if (Math.abs(offsetMs) > CLOCK_MS)
    lines.push(
      warn(
        "clocks",
        `the clock of ${what} is ${secondsWords(offsetMs)} this console's`,
        "Keep both by NTP: limits follow Redis's clock, expiries and reports the console's.",
      ),
    );
  return lines;
}

function evictedWords(policy: string, holdsControl: boolean): string {
  const counters = "clients get their tokens back too early";
  return holdsControl && policy.startsWith("allkeys")
    ? `${counters}, and the snapshot and reports not yet counted are lost`
    : counters;
}

export function secondsWords(offsetMs: number): string {
  const seconds = Math.abs(offsetMs / 1000).toFixed(1);
  return `${seconds} s ${offsetMs > 0 ? "ahead of" : "behind"}`;
}
