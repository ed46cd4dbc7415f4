import { fileURLToPath } from "node:url";
import { loadWorkerConfig } from "../lib/config/config";
import { createControl } from "../lib/control";
import { AppError } from "../lib/core/errors";
import { startWorker } from "../lib/ingest/start-worker";
import { createLog } from "../lib/log";

try {
  const config = loadWorkerConfig(process.env);
  const log = createLog({ name: "worker", level: config.logLevel });
  const control = createControl(config, { log });
  const file = fileURLToPath(new URL("./backtest.mjs", import.meta.url));
  const worker = startWorker(control, {}, { backtests: { file } });
  const stop = async (signal: NodeJS.Signals) => {
    log.info({ signal }, "worker stops");
    await worker.stop();
    // What is not given back by now is given back by the end of the process.
    const closed = control.close().catch((error) => log.warn({ error }, "worker did not close"));
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 300))]);
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.message);
  process.exit(2);
}
