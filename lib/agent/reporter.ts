import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import type { GatewayAlert } from "@/lib/core/alert";
import type { Heartbeat } from "@/lib/core/heartbeat";
import { type FleetSize, FleetSizeSchema, HEARTBEAT_INTERVAL_MS } from "@/lib/core/heartbeat";
import type { VersionId } from "@/lib/core/version";
import type { Log } from "@/lib/log";
import type { ControlKeys } from "@/lib/redis/control-keys";
import { reasonOf } from "@/lib/redis/reason";
import { appendHeartbeat, readFleetSize } from "@/lib/redis/reports";
import type { BootFolder } from "./boot-folder";
import type { ControlHttp } from "./control-http";
import { createSyncLoop } from "./sync-loop";

/** What only HTTP may have carried is retried this soon. */
const ALERT_RETRY_MS = 1_000;

export type Reporter = {
  /** The fleet as last known: what local limits are divided by. Live is at least 1, this gateway. */
  fleet(): FleetSize;
  /** Takes the fleet's size from its file, if there is one. */
  load(): Promise<void>;
  /** Says how things stand, now. Resolves when it was said, or could not be. */
  report(): Promise<void>;
  /** Told over HTTP at once, and again until the console took it. Of one kind only the newest is kept. */
  alert(alert: GatewayAlert): void;
  onFleet(size: FleetSize): void;
  close(): Promise<void>;
};

type Options = {
  redis: Redis;
  redisKeys: ControlKeys;
  http: ControlHttp;
  boot: BootFolder;
  describe(): Heartbeat;
  /** The console named its current version: compare. */
  onCurrent(version: VersionId): void;
  clock: Clock;
  log: Log;
  intervalMs?: number;
};

/** Heartbeats by stream, else by HTTP; alerts always by HTTP, since Redis is what they are about. */
export function createReporter(options: Options): Reporter {
  const { redis, redisKeys, http, boot, log } = options;
  const alerts = new Map<string, GatewayAlert>();
  let fleet: FleetSize = { live: 1, silent: 0 };
  let isSending = false;
  let isConsoleDown = false;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const loop = createSyncLoop<"now">({
    what: "heartbeat",
    intervalMs: options.intervalMs ?? HEARTBEAT_INTERVAL_MS,
    log,
    run: async () => {
      const heartbeat = options.describe();
      try {
        if (redis.status !== "ready") throw new Error("Redis is not connected");
        await appendHeartbeat(redis, redisKeys, heartbeat);
        const size = await readFleetSize(redis, redisKeys);
        if (size !== null) onFleet(size);
      } catch (error) {
        log.debug({ reason: reasonOf(error) }, "heartbeat goes by HTTP");
        await send(heartbeat);
      }
    },
  });

  async function send(heartbeat: Heartbeat): Promise<void> {
    const sent = [...alerts];
    try {
      const result = await http.report({ heartbeat, alerts: sent.map(([, alert]) => alert) });
      // One that changed on the way stays.
      for (const [kind, alert] of sent) if (alerts.get(kind) === alert) alerts.delete(kind);
      if (result.fleet !== undefined) onFleet(result.fleet);
      if (isConsoleDown) log.info({}, "console takes reports again");
      isConsoleDown = false;
      options.onCurrent(result.current);
    } catch (error) {
      if (!isConsoleDown) log.warn({ reason: reasonOf(error) }, "console does not take reports");
      isConsoleDown = true;
    }
  }

  async function sendAlerts(): Promise<void> {
    if (isSending || alerts.size === 0 || isClosed) return;
    isSending = true;
    clearTimeout(retry);
    await send(options.describe());
    isSending = false;
    if (alerts.size > 0 && !isClosed) retry = setTimeout(() => void sendAlerts(), ALERT_RETRY_MS);
  }

  function onFleet(size: FleetSize): void {
    if (size.live === fleet.live && size.silent === fleet.silent) return;
    fleet = { live: Math.max(1, size.live), silent: size.silent };
    boot.write("fleet", JSON.stringify(fleet)).catch((error: unknown) => {
      log.error({ error }, "boot file of the fleet's size cannot be written");
    });
  }

  async function loadFleet(): Promise<void> {
    try {
      const bytes = await boot.read("fleet");
      if (bytes !== null) fleet = FleetSizeSchema.parse(JSON.parse(bytes.toString("utf8")));
    } catch (error) {
      log.error({ error }, "boot file of the fleet's size cannot be read");
    }
  }

  return {
    fleet: () => fleet,
    load: loadFleet,
    report: () => loop.trigger("now"),
    alert: (alert) => {
      alerts.set(alert.kind, alert);
      void sendAlerts();
    },
    onFleet,
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await loop.close();
    },
  };
}
