import { setMaxListeners } from "node:events";
import { SystemClock } from "../lib/clock";
import { loadTrafficConfig } from "../lib/config/traffic-config";
import { DEMO_KEYS, demoKey, demoPlan } from "../lib/core/demo-keys";
import { AppError } from "../lib/core/errors";
import { createLog } from "../lib/log";
import { createActors } from "../lib/traffic/actors";
import { runTraffic } from "../lib/traffic/run-traffic";

const stop = new AbortController();
setMaxListeners(0, stop.signal);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

try {
  const { gateways, secrets, logLevel } = loadTrafficConfig(process.env);
  const log = createLog({ name: "traffic", level: logLevel });
  const clients = Array.from({ length: DEMO_KEYS }, (_, i) => ({
    key: demoKey(secrets, i),
    plan: demoPlan(i),
  }));
  const actors = createActors(clients);
  log.info(
    { actors: actors.length, gateways: gateways.map(({ origin }) => origin) },
    "traffic runs",
  );
  const { signal } = stop;
  await runTraffic({
    gateways,
    actors,
    clock: new SystemClock(),
    log,
    random: Math.random,
    signal,
  });
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.message);
  process.exit(2);
}
