import { randomBytes } from "node:crypto";
import type { Clock } from "@/lib/clock";
import { AppError } from "@/lib/core/errors";
import { SUPPORTED_FEATURES } from "@/lib/core/features";
import type { Heartbeat } from "@/lib/core/heartbeat";
import type { RulesetIndex } from "@/lib/core/ruleset-index";
import { deriveKeys } from "@/lib/core/secrets";
import { ALL_RULES, type StopEnforcing } from "@/lib/core/stop-enforcing";
import type { Log } from "@/lib/log";
import { connectRedis, type RedisAddress, whenReady } from "@/lib/redis/connect";
import { controlKeys } from "@/lib/redis/control-keys";
import type { Notice } from "@/lib/redis/notices";
import { reasonOf } from "@/lib/redis/reason";
import { appendCountBatch, appendTapeBlock } from "@/lib/redis/reports";
import { createBatchQueue } from "./batch-queue";
import { bootFolder } from "./boot-folder";
import { type ClientLookup, createClientLookup } from "./client-lookup";
import { watchConnection } from "./connection-watch";
import { createControlHttp } from "./control-http";
import { type Counts, createCounts } from "./counts";
import { type DemandSource, openDemandExchange } from "./demand-exchange";
import type { DirectoryIndex } from "./directory-index";
import { createDirectorySync, type DirectorySync } from "./directory-sync";
import { createKeyLookup, type KeyLookup } from "./key-lookup";
import { openNoticeLink } from "./notice-link";
import { createReporter } from "./reporter";
import { createRulesSync, type RulesSync } from "./rules-sync";
import { createStopSwitch } from "./stop-switch";
import { createTape, type Tape } from "./tape";
import { createTapeSender } from "./tape-sender";

const FLUSH_MS = 1_000;
/** A block of tape that is not full is sent at this age: fewer and better packed ones, a backtest can wait. */
const TAPE_BLOCK_MS = 5_000;
/** A first look into Redis waits this long for its connection before the console is asked. */
const CONNECT_WAIT_MS = 1_000;
/** A stop waits this long for the last report, then leaves. */
const DRAIN_MS = 900;

export type AgentConfig = {
  id: string;
  environment: string;
  secrets: readonly string[];
  dataDir: string;
  controlUrl: string;
  gatewayToken: string;
  /** HEADGATE_STOP_ENFORCING: `all` or ids of rules that are in shadow here, whatever is published. */
  stopEnforcing?: string | undefined;
  build: string;
  redis: {
    control: { kind: "single"; node: RedisAddress } | { kind: "cluster"; nodes: RedisAddress[] };
    ca?: string;
  };
};

export type AgentStatus = {
  id: string;
  boot: string;
  build: string;
  rules: ReturnType<RulesSync["status"]>;
  directory: {
    position: ReturnType<DirectorySync["position"]>;
    complete: boolean;
    error: string | null;
    size: ReturnType<DirectoryIndex["size"]>;
  };
  stopEnforcing: (StopEnforcing & { unknown: string[] }) | null;
  stopError: string | null;
  mode: Heartbeat["mode"];
  modeSinceMs: number;
  modeReason: string | null;
  state: Heartbeat["state"];
  fleet: { live: number; silent: number };
  batches: { waiting: number; dropped: number };
  /** Requests recorded and dropped since the start, blocks not yet sent. */
  tape: { recorded: number; dropped: number; waiting: number };
};

export type Agent = {
  /** The version in force; null before the first. Take it once a request. */
  rules(): RulesetIndex | null;
  directory(): DirectoryIndex;
  lookUpKey: KeyLookup;
  lookUpClient: ClientLookup;
  count: Counts["count"];
  record: Tape["record"];
  overrideUsed: Counts["overrideUsed"];
  /** Gateways that share a limit while Redis is away: live + silent, at least 1. */
  fleetSize(): number;
  /** Who decides: Redis, or this gateway's own share. A change is told to the console at once. */
  setMode(mode: Heartbeat["mode"], reason: string): void;
  status(): AgentStatus;
  /** Resolves once the boot files were read; looks for newer in Redis and at the console from then on. */
  start(): Promise<void>;
  /** From now on heartbeats say that it takes no new requests. */
  drain(): void;
  /** Sends what is left and reports itself drained, within a second. */
  close(): Promise<void>;
};

type Deps = {
  clock: Clock;
  log: Log;
  /** Redis time minus this machine's wall clock, in ms; null while unknown. */
  clockOffsetMs(): number | null;
  /** Who judges by fleet rules; absent: nobody here does. */
  demand?: DemandSource;
  /** A version was applied, or a client's plan or override changed: what is known of buckets may be too old. */
  onLimitsChanged?(): void;
  /** Somebody gave these principals their tokens back. */
  onReset?(principals: readonly string[]): void;
};

/** What a gateway and an embedded limiter both do beside deciding: know the rules and clients, and report. */
export function createAgent(
  config: AgentConfig,
  { clock, log, clockOffsetMs, demand, onLimitsChanged = () => {}, onReset = () => {} }: Deps,
): Agent {
  const { id, environment } = config;
  const boot = randomBytes(8).toString("hex");
  const startedAtMs = clock.nowMs();
  const redisKeys = controlKeys(environment);
  const redis = connect("control");
  const subscriber = connect("subscriber");
  const http = createControlHttp({ ...config, gatewayId: id });
  const folder = bootFolder({ dataDir: config.dataDir, gatewayId: id });
  const counts = createCounts({ clock });
  let mode: Heartbeat["mode"] = "shared";
  let modeSinceMs = startedAtMs;
  let modeReason: string | null = null;
  let state: Heartbeat["state"] = "serving";
  let isStarted = false;
  const open: { close(): void }[] = [];
  let exchange: { close(): Promise<void> } | undefined;
  let flushTimer: NodeJS.Timeout | undefined;

  const common = { environment, redis, redisKeys, http, boot: folder, clock, log };
  const onChange = () => void reporter.report();
  const stop = createStopSwitch({
    dataDir: config.dataDir,
    variable: config.stopEnforcing,
    onChange: () => {
      rules.recompile();
      onChange();
    },
    clock,
    log,
  });
  const rules = createRulesSync({
    ...common,
    stopped: () => stop.current()?.rules ?? [],
    keys: deriveKeys(config.secrets, "snapshot"),
    onApplied: onLimitsChanged,
    onChange,
  });
  const directory = createDirectorySync({ ...common, onLimitsChanged, onChange });
  const reporter = createReporter({
    ...common,
    describe,
    onCurrent: (version) => rules.onCurrent(version),
  });
  const batches = createBatchQueue({
    environment,
    gateway: id,
    boot,
    log,
    send: async (batch) => {
      try {
        await appendCountBatch(redis, redisKeys, batch);
      } catch (error) {
        log.debug({ reason: reasonOf(error), sequence: batch.sequence }, "counts go by HTTP");
        await http.report({ batches: [batch] });
      }
    },
  });

  const tape = createTape({ clock, onFull: () => void setImmediate(sendTape, TAPE_BLOCK_MS) });
  const tapeSender = createTapeSender({
    environment,
    gateway: id,
    boot,
    log,
    append: (block) => appendTapeBlock(redis, redisKeys, block),
  });

  function connect(role: "control" | "subscriber") {
    const { control, ca } = config.redis;
    if (control.kind === "cluster")
      throw new AppError(
        "invalid",
        "snapshot and streams need one Redis: with REDIS_CLUSTER set REDIS_CONTROL_URL too",
      );
    const name = `headgate-${role}-${id}`;
    return connectRedis({
      address: control.node,
      role,
      name,
      log,
      ...(ca === undefined ? {} : { ca }),
    });
  }

  function describe(): Heartbeat {
    const { applied, refused, checkedAgoMs, error } = rules.status();
    const position = directory.position();
    return {
      schema: 1,
      environment,
      gateway: id,
      boot,
      atMs: clock.nowMs(),
      startedAtMs,
      build: config.build,
      applied,
      refused,
      checkedAgoMs,
      directory: position && { ...position, complete: directory.isComplete() },
      mode,
      modeSinceMs,
      error: error ?? directory.error() ?? stop.error(),
      ...(stop.current() !== null && { stopEnforcing: stop.current() }),
      requestsPerSecond: counts.requestsPerSecond(),
      clockOffsetMs: clockOffsetMs(),
      state,
      features: [...SUPPORTED_FEATURES],
    };
  }

  function stopStatus(): AgentStatus["stopEnforcing"] {
    const stopped = stop.current();
    if (stopped === null) return null;
    const known = [
      ALL_RULES,
      "_deny",
      "_flood",
      ...(rules.current()?.rules ?? []).map(({ id }) => id),
    ];
    return { ...stopped, unknown: stopped.rules.filter((name) => !known.includes(name)) };
  }

  function onNotice(notice: Notice): void {
    switch (notice.kind) {
      case "version":
        rules.onNotice(notice);
        break;
      case "directory":
        directory.onNotice(notice);
        break;
      case "fleet":
        reporter.onFleet(notice);
        break;
      case "reset":
        onReset(notice.principals);
        break;
    }
  }

  const fleetSize = () => Math.max(1, reporter.fleet().live + reporter.fleet().silent);

  function checkNow(): void {
    void rules.check();
    void directory.check();
  }

  function flush(): Promise<void> {
    const counted = counts.take();
    if (counted !== null) batches.push(counted);
    return batches.flush();
  }

  /** Every block that is full, and the open one if it is as old as that. */
  function sendTape(openMs: number): Promise<void> {
    return tapeSender.send(tape.take(openMs));
  }

  return {
    rules: rules.current,
    directory: directory.index,
    lookUpKey: createKeyLookup(deriveKeys(config.secrets, "api-key"), directory, clock),
    lookUpClient: createClientLookup(directory),
    count: counts.count,
    record: tape.record,
    overrideUsed: counts.overrideUsed,
    fleetSize,
    setMode: (next, reason) => {
      if (next === mode) {
        // Another shard, perhaps; the alert is open already.
        if (mode === "local") modeReason = reason;
        return;
      }
      mode = next;
      modeSinceMs = clock.nowMs();
      modeReason = next === "local" ? reason : null;
      const message =
        next === "local"
          ? `${id} limits by its own share: ${reason}`
          : `${id} limits by Redis again`;
      const raised = next === "local" ? "raised" : "resolved";
      // An error of a server can be long, and a longer alert than the console takes would never get through.
      const alert = { state: raised, atMs: modeSinceMs, message: message.slice(0, 1000) } as const;
      reporter.alert({ kind: "gateway-degraded", ...alert });
      void reporter.report();
    },
    status: () => ({
      id,
      boot,
      build: config.build,
      rules: rules.status(),
      directory: {
        position: directory.position(),
        complete: directory.isComplete(),
        error: directory.error(),
        size: directory.index().size(),
      },
      stopEnforcing: stopStatus(),
      stopError: stop.error(),
      mode,
      modeSinceMs,
      modeReason,
      state,
      fleet: reporter.fleet(),
      batches: { waiting: batches.waiting(), dropped: batches.dropped() },
      tape: {
        recorded: tape.counts().recorded,
        dropped: tape.counts().dropped + tapeSender.dropped(),
        waiting: tapeSender.waiting(),
      },
    }),
    start: async () => {
      isStarted = true;
      await stop.start();
      await Promise.all([rules.load(), directory.load(), reporter.load()]);
      flushTimer = setInterval(() => {
        void flush();
        void sendTape(TAPE_BLOCK_MS);
      }, FLUSH_MS);
      const channel = redisKeys.notices;
      open.push(
        openNoticeLink({ redis: subscriber, channel, onNotice, onSubscribed: checkNow, log }),
        watchConnection({ redis: subscriber, what: "subscriber", log }),
        watchConnection({ redis, what: "control", log }),
      );
      const told = { redis, subscriber, redisKeys, fleetSize, log };
      if (demand !== undefined) exchange = openDemandExchange({ source: demand, ...told });
      void whenReady(redis, CONNECT_WAIT_MS).then(() => {
        if (state !== "serving") return;
        checkNow();
        void reporter.report();
      });
    },
    drain: () => {
      state = "draining";
      if (isStarted) void reporter.report();
    },
    close: async () => {
      clearInterval(flushTimer);
      stop.close();
      for (const one of open) one.close();
      state = "drained";
      // One that never started has nothing to take back; its id may be another's that runs.
      if (isStarted) {
        const left = [flush(), sendTape(0), reporter.report(), exchange?.close()];
        await within(DRAIN_MS, Promise.all(left));
      }
      await within(DRAIN_MS, Promise.all([rules.close(), directory.close(), reporter.close()]));
      redis.disconnect();
      subscriber.disconnect();
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}
