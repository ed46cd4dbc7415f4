import { setPriority } from "node:os";
import { SystemClock } from "../lib/clock";
import { loadWorkerConfig } from "../lib/config/config";
import { deriveKeys } from "../lib/core/secrets";
import { connectDatabase } from "../lib/db/client";
import { runBacktest } from "../lib/ingest/run-backtest";
import { createLog } from "../lib/log";

// Started by the worker, which goes on alone if this one ends.
const [id = "", worker = ""] = process.argv.slice(2);
const config = loadWorkerConfig(process.env);
const log = createLog({ name: "backtest", level: config.logLevel });
process.once("disconnect", () => process.exit(1));
// On a machine with gateways they come first.
setPriority(10);
const db = connectDatabase({ url: config.databaseUrl });
try {
  const apiKeys = deriveKeys(config.secrets, "api-key");
  const ended = await runBacktest(
    { db, config, apiKeys, clock: new SystemClock() },
    { id, worker },
  );
  log.info({ backtest: id, ended }, "backtest run");
  process.exit(0);
} catch (error) {
  log.error({ error, backtest: id }, "backtest failed");
  process.exit(1);
}
