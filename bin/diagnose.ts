import { fileURLToPath } from "node:url";
import { exitOf, printDiagnosis } from "../lib/cli/doctor";
import { loadDoctorConfig } from "../lib/config/config";
import { createControl, diagnose, SYSTEM, withActor } from "../lib/control";
import { AppError } from "../lib/core/errors";
import { createLog } from "../lib/log";

// Run by `headgate doctor --direct`: looks at Postgres, Redis and the fleet without the console.
try {
  const config = loadDoctorConfig(process.env);
  const migrationsFolder = fileURLToPath(new URL("../prisma/migrations", import.meta.url));
  const log = createLog({ name: "doctor", level: "silent" });
  const control = createControl(
    { ...config, migrationsFolder, secrets: ["a doctor asks for nothing secret"] },
    { log },
  );
  try {
    const { lines } = await diagnose(withActor(control, SYSTEM));
    if (process.argv.includes("--json")) console.log(JSON.stringify({ lines }));
    else printDiagnosis(process, lines);
    process.exitCode = exitOf(lines);
  } finally {
    await control.close();
  }
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(`headgate doctor: ${error.message}`);
  process.exitCode = 1;
}
