import { type DiagnosisLine, fail, ok, warn } from "@/lib/core/api/diagnosis";
import { pendingMigrations } from "@/lib/db/migrate";
import type { Control } from "./context";

const POSTGRES_MIN = 15;
const OFFSET_MS = 1_000;

/** Version, clock and migrations; the first alone when it does not answer. */
export async function diagnosePostgres({
  db,
  clock,
  config,
}: Pick<Control, "db" | "clock" | "config">): Promise<{ isUp: boolean; lines: DiagnosisLine[] }> {
  const beganMs = clock.nowMs();
  const asked = await db.$queryRaw<{ version: string; now: Date }[]>`
    SELECT current_setting('server_version') AS version, clock_timestamp() AS now`.catch(
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  if (asked instanceof Error)
    return {
      isUp: false,
      lines: [
        fail(
          "postgres",
          `Postgres cannot be used: ${serverWords(asked.message)}`,
          "Start it, or mend DATABASE_URL. Until then nobody can publish; gateways go on.",
        ),
      ],
    };
  const [row] = asked;
  const version = row?.version ?? "";
  const offsetMs = (row?.now.getTime() ?? 0) - (beganMs + clock.nowMs()) / 2;
  const lines = [
    Number.parseInt(version, 10) < POSTGRES_MIN
      ? fail("postgres", `Postgres is version ${version}`, `Run version ${POSTGRES_MIN} or later.`)
      : ok("postgres", `Postgres is version ${version}`),
  ];
  if (Math.abs(offsetMs) > OFFSET_MS)
    lines.push(
      warn(
        "clocks",
        `the clock of Postgres differs from this console's by ${(offsetMs / 1000).toFixed(1)} s`,
        "Keep both by NTP.",
      ),
    );
  if (config.migrationsFolder !== undefined)
    lines.push(await migrationsLine(config.migrationsFolder, db));
  return { isUp: true, lines };
}

async function migrationsLine(folder: string, db: Control["db"]): Promise<DiagnosisLine> {
  const rows = await db.$queryRaw<
    { migration_name: string; checksum: string; finished_at: Date | null; logs: string | null }[]
  >`SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations
    WHERE rolled_back_at IS NULL`;
  try {
    const { pending, applied } = await pendingMigrations(folder, rows);
    return pending.length === 0
      ? ok("migrations", `all ${applied} migrations are applied`)
      : fail(
          "migrations",
          `${pending.length} not applied yet: ${pending.join(", ")}`,
          "Run `node dist/migrate.mjs` (npm start does), then start the console and workers anew.",
        );
  } catch (error) {
    return fail(
      "migrations",
      error instanceof Error ? error.message : String(error),
      "See that this build is not older than the database.",
    );
  }
}

/** Prisma's messages begin with the code around the call, and wrap the server's own words. */
function serverWords(message: string): string {
  const line = message.trim().split("\n").at(-1)?.trim() ?? message;
  return /Message: `(.*)`$/.exec(line)?.[1] ?? line;
}
