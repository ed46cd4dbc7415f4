import { join } from "node:path";
import { loadConsoleConfig } from "@/lib/config/config";
import { type Control, createControl } from "@/lib/control";
import { createLog } from "@/lib/log";

/** Next loads this module once per bundle and again at each change in development; one control serves them all. */
const holder = globalThis as typeof globalThis & { headgateControl?: Control | undefined };

/** The console's database, Redis and sign-in, opened at the first request: a build needs no environment. */
export function getControl(): Control {
  holder.headgateControl ??= openControl();
  return holder.headgateControl;
}

/** Ends all connections; the next `getControl` opens them anew. */
export async function closeControl(): Promise<void> {
  const open = holder.headgateControl;
  holder.headgateControl = undefined;
  await open?.close();
}

function openControl(): Control {
  const config = loadConsoleConfig(process.env);
  const migrationsFolder = join(/* turbopackIgnore: true */ process.cwd(), "prisma", "migrations");
  const log = createLog({ name: "console", level: config.logLevel });
  return createControl({ ...config, migrationsFolder }, { log });
}
