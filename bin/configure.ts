import { loadStartConfig } from "../lib/config/config";
import { unknownVariables } from "../lib/config/read";
import { ensureSecrets, secretsFile } from "../lib/config/secrets";
import { AppError } from "../lib/core/errors";

// Asked by scripts/start.mjs, which has only Node's own modules: checks every variable, makes the
// secrets that are not set, and prints what the supervisor decides by as one JSON line.
try {
  const config = loadStartConfig(process.env);
  const made = ensureSecrets(config.HEADGATE_DATA);
  console.log(
    JSON.stringify({
      port: config.PORT,
      host: config.HEADGATE_HOST,
      publicUrl: config.HEADGATE_PUBLIC_URL,
      gatewayPorts: config.HEADGATE_GATEWAY_PORTS,
      dataDir: config.HEADGATE_DATA,
      adminEmail: config.HEADGATE_ADMIN_EMAIL,
      adminPassword: config.HEADGATE_ADMIN_PASSWORD ? undefined : made.adminPassword,
      secretsFile: secretsFile(config.HEADGATE_DATA),
      databasePassword: made.databasePassword,
      redisPassword: made.redisPassword,
      unknown: unknownVariables(process.env),
    }),
  );
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.message);
  process.exit(2);
}
