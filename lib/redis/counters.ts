import type { Redis } from "ioredis";
import { slotOf } from "@/lib/core/cluster-slot";
import { AppError } from "@/lib/core/errors";
import { createRendezvous } from "@/lib/core/rendezvous";
import type { Log } from "@/lib/log";
import { connectCluster } from "./cluster";
import { connectRedis, describeAddress, type RedisAddress, whenReady } from "./connect";

/** Where gateways keep counters. */
export type StateRedis =
  | { kind: "single"; node: RedisAddress }
  /** Named, as a principal's place is by the name. */
  | { kind: "ring"; nodes: (RedisAddress & { name: string })[] }
  | { kind: "cluster"; nodes: RedisAddress[] };

/** `inFlight`: the key holds requests in flight, not a packed value. */
export type CounterKey = { key: string; inFlight: boolean };

/** `nowUs`: the clock of the server that holds it. */
export type CounterValue = ({ value: Uint8Array | null } | { inFlight: number }) & {
  nowUs: number;
};

/** The counters for people: seldom asked, never in the way of a check. Throws `unavailable` where Redis does not answer. */
export type Counters = {
  /** Reads only. */
  read(keys: readonly CounterKey[]): Promise<CounterValue[]>;
  /** Takes the records of these slots out of a packed value; how many there were. */
  takeOut(key: string, slots: readonly number[]): Promise<number>;
  close(): void;
};

type Options = { state: StateRedis; ca?: string; name: string; log: Log };
type Node = { name: string; redis: Redis };
/** `before` goes right before the command on the key: a slot that is on its way is asked for so. */
type Command<T> = (redis: Redis, before: () => void) => Promise<T>;
type Ask = <T>(key: string, command: Command<T>) => Promise<T>;

const READY_MS = 1_000;
const ANSWER_MS = 1_000;
const HOPS_MAX = 3;
const OWNER_POLL_MS = 20;

// KEYS[1] packed value (lib/core/record.ts); ARGV slots. Returns how many records went; what stays keeps its TTL.
const TAKE_OUT = `
local value = redis.call("GET", KEYS[1])
if not value then return 0 end
local wanted, kept, at, gone = {}, {}, 1, 0
for _, slot in ipairs(ARGV) do wanted[tonumber(slot)] = true end
while at + 9 <= #value do
  local size = string.byte(value, at + 1)
  if size < 10 or at + size - 1 > #value then break end
  local slot = struct.unpack("<I4", value, at + 2)
  if wanted[slot] then gone = gone + 1 else kept[#kept + 1] = string.sub(value, at, at + size - 1) end
  at = at + size
end
if gone == 0 then return 0 end
if #kept == 0 then redis.call("DEL", KEYS[1])
else redis.call("SET", KEYS[1], table.concat(kept), "KEEPTTL") end
return gone
`;

/** Connects at once; one for a process. */
export function connectCounters(options: Options): Counters {
  const { ask, close } = options.state.kind === "cluster" ? askCluster(options) : askNodes(options);
  return {
    read: (keys) => Promise.all(keys.map((key) => ask(key.key, readOne(key)))),
    takeOut: (key, slots) =>
      ask(key, async (redis, before) => {
        before();
        return Number(await redis.eval(TAKE_OUT, 1, key, ...slots));
      }),
    close,
  };
}

function readOne({ key, inFlight }: CounterKey): Command<CounterValue> {
  return async (redis, before) => {
    const nowUs = microsOf(await redis.time());
    before();
    return inFlight
      ? { inFlight: await redis.zcount(key, `(${nowUs}`, "+inf"), nowUs }
      : { value: await redis.getBuffer(key), nowUs };
  };
}

function microsOf([seconds, micros]: readonly (string | number)[]): number {
  return Number(seconds) * 1_000_000 + Number(micros);
}

function askNodes({ state, ca, name, log }: Options): { ask: Ask; close(): void } {
  const common = { role: "control" as const, name, log, ...(ca === undefined ? {} : { ca }) };
  const addresses =
    state.kind === "single" ? [{ ...state.node, name: describeAddress(state.node) }] : state.nodes;
  const nodes = addresses.map((address): Node => {
    const named = "name" in address ? address.name : describeAddress(address);
    return { name: named, redis: connectRedis({ address, ...common }) };
  });
  const placeOf =
    state.kind === "ring" ? createRendezvous(nodes.map((node) => node.name)) : () => 0;
  return {
    ask: (key, command) => {
      const node = nodes[placeOf(key)];
      if (node === undefined) throw new AppError("internal", `nobody holds ${key}`);
      return answered(node, command);
    },
    close: () => {
      for (const { redis } of nodes) redis.disconnect();
    },
  };
}

function askCluster({ state, ca, name, log }: Options): { ask: Ask; close(): void } {
  const authority = ca === undefined ? {} : { ca };
  const seeds = state.kind === "cluster" ? state.nodes : [];
  const link = connectCluster({ seeds, name, log, ...authority });

  async function ownerOf(slot: number): Promise<Node> {
    const untilMs = performance.now() + READY_MS;
    for (;;) {
      const owner = link.ownerOf(slot);
      if (owner !== undefined) return owner;
      if (performance.now() > untilMs)
        throw unanswered("the cluster", link.error() ?? `nobody is known to hold slot ${slot}`);
      await new Promise((resolve) => setTimeout(resolve, OWNER_POLL_MS));
    }
  }

  return {
    ask: async (key, command) => {
      let node = await ownerOf(slotOf(key));
      let isAsking = false;
      for (let hop = 0; ; hop += 1) {
        try {
          return await answered(node, command, isAsking);
        } catch (error) {
          const [, word, address] = MOVED.exec(messageOf(causeOf(error))) ?? [];
          if (word === undefined || address === undefined || hop === HOPS_MAX) throw error;
          link.refresh();
          const to: Node | undefined = await link.reach(address, node);
          if (to === undefined) throw unanswered(address, "the slot has moved there");
          isAsking = word === "ASK";
          node = to;
        }
      }
    },
    close: link.close,
  };
}

const MOVED = /^(MOVED|ASK) \d{1,5} (\S+)/;

/** As the server said it. */
function causeOf(error: unknown): unknown {
  return error instanceof AppError ? error.cause : error;
}

/** Within bounds: somebody waits for the page. */
async function answered<T>(node: Node, command: Command<T>, isAsking = false): Promise<T> {
  const { name, redis } = node;
  if (!(await whenReady(redis, READY_MS))) throw unanswered(name, "it is not connected");
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(unanswered(name, `no answer within ${ANSWER_MS} ms`)),
      ANSWER_MS,
    );
  });
  try {
    const before = () => {
      // Its failure is that of the command after it.
      if (isAsking) redis.asking().catch(() => {});
    };
    return await Promise.race([command(redis, before), deadline]);
  } catch (error) {
    throw error instanceof AppError ? error : unanswered(name, messageOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}

function unanswered(node: string, why: string, cause?: unknown): AppError {
  const message = `the counters cannot be read: ${node} does not answer (${why})`;
  return new AppError("unavailable", message, cause === undefined ? {} : { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
