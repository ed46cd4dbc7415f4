import { get, Agent as HttpAgent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, createAgent } from "@/lib/agent/agent";
import { SystemClock } from "@/lib/clock";
import { parseRedisUrl } from "@/lib/config/redis-url";
import { createLog } from "@/lib/log";
import { echoUpstream, startGateway } from "@/lib/testing/gateway";
import { type Ask, AskSchema, type Told } from "./propagation-words";

// Gateways, or their clients, in a process of their own. Gateways tell of each version they apply, and of the longest turn of
// the event loop while they did.

const LOOK_MS = 2;
const TURN_LOOK_MS = 1;

process.on("message", (message) => void begin(AskSchema.parse(message)));
process.send?.({ kind: "up" } satisfies Told);

async function begin(ask: Ask): Promise<void> {
  if (ask.kind === "gateway") await beginGateway(ask);
  else if (ask.kind === "agents") await beginAgents(ask);
  else process.send?.({ kind: "driven", tookMs: await drive(ask) } satisfies Told);
}

async function beginGateway({ world, id }: Extract<Ask, { kind: "gateway" }>): Promise<void> {
  const upstream = await echoUpstream();
  const gateway = await startGateway({
    ...world,
    id,
    upstream: upstream.url,
    checkDeadlineMs: 100,
  });
  watch(id, () => gateway.status().rules.applied);
  process.send?.({ kind: "listens", url: gateway.url } satisfies Told);
}

async function beginAgents({ world, ids }: Extract<Ask, { kind: "agents" }>): Promise<void> {
  const node = parseRedisUrl(world.redisUrl);
  if ("wrong" in node) throw new Error(node.wrong);
  const clock = new SystemClock();
  const log = createLog({ name: "bench", level: "silent" });
  const agents = ids.map((id): [string, Agent] => {
    const config = {
      id,
      environment: world.environment,
      secrets: world.secrets,
      dataDir: world.dataDir,
      controlUrl: "http://127.0.0.1:1",
      gatewayToken: "none",
      build: "bench",
      redis: { control: { kind: "single" as const, node } },
    };
    return [id, createAgent(config, { clock, log, clockOffsetMs: () => null })];
  });
  await Promise.all(agents.map(([, agent]) => agent.start()));
  for (const [id, agent] of agents) watch(id, () => agent.status().rules.applied);
}

type Applied = { version: number; appliedAtMs: number } | null;

function watch(id: string, applied: () => Applied): void {
  let known = 0;
  let longestMs = 0;
  let usedMs = cpuMs();
  let atMs = performance.now();
  // A timer runs between any two turns that take longer than its pause. The clock counts the turns of others on a busy machine,
  // the processor time those of this process's other threads: the loop itself was blocked no longer than either. Looking
  // each turn would be a turn without end, and its garbage the longest of them.
  const look = () => {
    const now = { usedMs: cpuMs(), atMs: performance.now() };
    longestMs = Math.max(longestMs, Math.min(now.usedMs - usedMs, now.atMs - atMs));
    ({ usedMs, atMs } = now);
  };
  if (id.endsWith("-turns")) setInterval(look, TURN_LOOK_MS);
  setInterval(() => {
    const now = applied();
    if (now === null || now.version === known) return;
    known = now.version;
    const { version, appliedAtMs } = now;
    const { pid } = process;
    const told = {
      kind: "applied" as const,
      id,
      version,
      appliedAtMs,
      longestMs,
      pid,
      usedMs: cpuMs(),
    };
    process.send?.(told satisfies Told);
    longestMs = 0;
  }, LOOK_MS);
}

/** How long requests take, one after the other on a few connections. Whoever publishes is another process: its turns are not theirs. */
async function drive({ url, concurrency, ms }: Extract<Ask, { kind: "drive" }>): Promise<number[]> {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: concurrency });
  const endsAtMs = performance.now() + ms;
  const took: number[] = [];
  const one = async () => {
    while (performance.now() < endsAtMs) {
      const startMs = performance.now();
      await new Promise<void>((resolve, reject) => {
        get(`${url}/v1/things`, { agent }, (response) => {
          response.resume();
          response.on("end", resolve);
        }).on("error", reject);
      });
      took.push(performance.now() - startMs);
      await sleep(2);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  agent.destroy();
  return took;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
