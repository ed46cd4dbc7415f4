import type { Redis } from "ioredis";
import type { Log } from "@/lib/log";
import { addressOf, nameOf, type Place, placeIn } from "./cluster-address";
import { mostCommon, readSlots, SLOTS, type SlotMap } from "./cluster-slots";
import { connectRedis, type RedisAddress, whenReady } from "./connect";

/** Between two looks at who owns what, while all is well: a move is noticed by its redirections at once. */
const CALM_MS = 10_000;
/** While a primary is away, or a slot has no owner: its replica takes over at some moment. */
const TROUBLE_MS = 200;
/** After a redirection: a slot that moves alone gives one for each check. */
const HINT_MS = 50;
const ANSWER_MS = 500;
/** A primary that is one no more may still answer what it was asked. */
const RETIRE_MS = 1_000;

type Node = { readonly name: string; readonly host: string; readonly redis: Redis };

/** Connections to a cluster's primaries, and who owns which slot. `lib/limiter` asks the nodes itself. */
export type ClusterConnections = {
  ownerOf(slot: number): Node | undefined;
  reach(address: string, by: { readonly name: string }): Node | Promise<Node | undefined>;
  nodes(): readonly Node[];
  error(): string | null;
  moved(slot: number, to: { readonly name: string }): void;
  refresh(): void;
  onChange(listener: () => void): void;
  close(): void;
};

type Options = {
  /** Any nodes of it. Their user, password and TLS hold for all others. */
  seeds: readonly RedisAddress[];
  ca?: string;
  name: string;
  log: Log;
};

/**
 * Plain connections to each primary instead of ioredis's Cluster: that one queues for nodes which are away, and
 * sends again what a lost connection may have run.
 */
export function connectCluster({ seeds, ca, name, log }: Options): ClusterConnections {
  const byName = new Map<string, Node>();
  /** Nodes that are only asked who owns what, while no primary says so. */
  const guests = new Map<string, Node>();
  const meetings = new Map<string, Promise<Node | undefined>>();
  const retiring = new Map<Node, NodeJS.Timeout>();
  let owners: (Node | undefined)[] = [];
  let others: Place[] = [];
  /** Not before the first look is over: a start is no outage. */
  let error: string | null = null;
  let listener = () => {};
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  let turn = 0;
  let isLooking = false;
  let isHinted = false;
  let isClosed = false;

  function connect(address: RedisAddress): Node {
    const authority = ca === undefined ? {} : { ca };
    const redis = connectRedis({ address, role: "check", name, log, ...authority });
    const node = { name: nameOf(address), host: address.host, redis };
    redis.on("close", () => {
      if (byName.get(node.name) === node) soon(TROUBLE_MS);
    });
    return node;
  }

  async function look(): Promise<void> {
    const failures: string[] = [];
    const ready = [...byName.values()].filter(({ redis }) => redis.status === "ready");
    const view = mostCommon(await Promise.all(ready.map((node) => ask(node, failures))), turn);
    turn += 1;
    if (view !== null) return apply(view);
    for (const address of [...seeds, ...others.map((other) => addressOf(other, seeds))]) {
      if (isClosed) return;
      const guest = guests.get(nameOf(address)) ?? connect(address);
      guests.set(guest.name, guest);
      if (!(await whenReady(guest.redis, ANSWER_MS))) failures.push(`${guest.name} is away`);
      else {
        const said = await ask(guest, failures);
        if (said !== null) return apply(said);
      }
    }
    if (owners.length > 0) return;
    changed({ error: `no node of the cluster says who owns what: ${failures.join("; ")}` });
  }

  function dismissGuests(): void {
    for (const [name, guest] of guests) if (byName.get(name) !== guest) guest.redis.disconnect();
    guests.clear();
  }

  async function ask(node: Node, failures: string[]): Promise<SlotMap | null> {
    try {
      return await readSlots(node.redis, node.host, ANSWER_MS);
    } catch (thrown) {
      failures.push(`${node.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      return null;
    }
  }

  /** New primaries are connected to before anything is sent to them. */
  async function apply(map: SlotMap): Promise<void> {
    const made: Node[] = [];
    const nodes = new Map<string, Node>();
    for (const range of map.ranges) {
      const name = nameOf(range);
      if (nodes.has(name)) continue;
      const known = byName.get(name) ?? guests.get(name);
      const node = known ?? connect(addressOf(range, seeds));
      if (known === undefined) made.push(node);
      nodes.set(name, node);
    }
    await Promise.all(made.map(({ redis }) => whenReady(redis, ANSWER_MS)));
    if (isClosed) {
      for (const { redis } of made) redis.disconnect();
      return;
    }
    owners = new Array(SLOTS);
    for (const range of map.ranges)
      owners.fill(nodes.get(nameOf(range)), range.first, range.last + 1);
    others = map.others;
    take(nodes, SLOTS - map.ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0));
  }

  /** A redirection is the first word of a new primary. */
  function meet(place: Place): Promise<Node | undefined> {
    const name = nameOf(place);
    const meeting = meetings.get(name) ?? connectTo(place).finally(() => meetings.delete(name));
    meetings.set(name, meeting);
    return meeting;
  }

  async function connectTo(place: Place): Promise<Node | undefined> {
    const node = connect(addressOf(place, seeds));
    const isThere = await whenReady(node.redis, ANSWER_MS);
    const known = byName.get(node.name);
    if (!isThere || known !== undefined || isClosed) {
      node.redis.disconnect();
      return known;
    }
    byName.set(node.name, node);
    changed({ error });
    return node;
  }

  function take(nodes: ReadonlyMap<string, Node>, unowned: number): void {
    const isSame =
      nodes.size === byName.size && [...nodes].every(([name, node]) => byName.get(name) === node);
    for (const [name, node] of byName) if (nodes.get(name) !== node) retire(node);
    byName.clear();
    for (const [name, node] of nodes) byName.set(name, node);
    if (!isSame) log.info({ primaries: [...byName.keys()] }, "the cluster's primaries changed");
    changed({ error: unowned === 0 ? null : `${unowned} of ${SLOTS} slots have no owner`, isSame });
  }

  function retire(node: Node): void {
    if (guests.get(node.name) === node) guests.delete(node.name);
    const timer = setTimeout(() => {
      retiring.delete(node);
      node.redis.disconnect();
    }, RETIRE_MS);
    timer.unref();
    retiring.set(node, timer);
  }

  function changed({ error: next, isSame = false }: { error: string | null; isSame?: boolean }) {
    if (isSame && next === error) return;
    if (next !== error && next !== null) log.warn({ reason: next }, "the cluster is not whole");
    error = next;
    listener();
  }

  function isTroubled(): boolean {
    return (
      owners.length === 0 ||
      error !== null ||
      [...byName.values()].some(({ redis }) => redis.status !== "ready")
    );
  }

  function schedule(inMs: number): void {
    if (isClosed) return;
    clearTimeout(timer);
    const jittered = inMs * (0.75 + Math.random() / 2);
    dueMs = performance.now() + jittered;
    timer = setTimeout(run, jittered);
    timer.unref();
  }

  function soon(inMs: number): void {
    if (!isLooking && dueMs - performance.now() > 2 * inMs) schedule(inMs);
  }

  async function run(): Promise<void> {
    if (isLooking || isClosed) return;
    isLooking = true;
    isHinted = false;
    try {
      await look();
    } catch (thrown) {
      log.error({ error: thrown }, "looking for the cluster's primaries failed");
    }
    isLooking = false;
    if (!isTroubled()) dismissGuests();
    schedule(isHinted ? HINT_MS : isTroubled() ? TROUBLE_MS : CALM_MS);
  }

  void run();

  return {
    ownerOf: (slot) => owners[slot],
    reach: (address, by) => {
      const place = placeIn(address, by);
      return byName.get(nameOf(place)) ?? meet(place);
    },
    nodes: () => [...byName.values()],
    error: () => error,
    moved: (slot, to) => {
      const node = byName.get(to.name);
      if (node !== undefined && owners.length === SLOTS) owners[slot] = node;
    },
    refresh: () => {
      isHinted = true;
      soon(HINT_MS);
    },
    onChange: (next) => {
      listener = next;
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      for (const [{ redis }, timer] of retiring) {
        clearTimeout(timer);
        redis.disconnect();
      }
      for (const { redis } of [...byName.values(), ...guests.values()]) redis.disconnect();
    },
  };
}
