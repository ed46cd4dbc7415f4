import { loadGatewayConfig } from "../lib/config/config";
import { AppError } from "../lib/core/errors";
import { createGateway } from "../lib/gateway/gateway";
import { createLog } from "../lib/log";
import { version as build } from "../package.json";

try {
  const config = loadGatewayConfig(process.env);
  const log = createLog({ name: "gateway", level: config.logLevel });
  const gateway = createGateway({ ...config, build }, { log });
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      gateway.close().then(
        () => process.exit(0),
        (error: unknown) => {
          log.fatal({ error }, "gateway did not stop cleanly");
          process.exit(1);
        },
      );
    });
  await gateway.start();
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.message);
  process.exit(error.code === "invalid" ? 2 : 1);
}
