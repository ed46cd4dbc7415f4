import { loadConsoleConfig } from "../lib/config/config";
import { createControl, ensureAdmin, ensureInstallation } from "../lib/control";
import { AppError } from "../lib/core/errors";
import { createLog } from "../lib/log";

// After the migrations, before anything else starts, as often as you like. `--demo` also makes the demo's rules and
// clients, on the first start only. Standard output is one JSON line for the supervisor; the log goes to standard error.
try {
  const config = loadConsoleConfig(process.env);
  const log = createLog({ name: "seed", level: config.logLevel, destination: process.stderr });
  const control = createControl(config, { log });
  try {
    const demo = process.argv.includes("--demo");
    const { version, demoKey } = await ensureInstallation(control, { demo });
    const resetPassword = Boolean(process.env.HEADGATE_ADMIN_PASSWORD);
    await ensureAdmin(control, { ...config.admin, resetPassword });
    console.log(JSON.stringify({ version: version.version, demoKey }));
  } finally {
    await control.close();
  }
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.message);
  process.exit(error.code === "invalid" ? 2 : 1);
}
