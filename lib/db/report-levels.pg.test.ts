import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../testing/postgres";
import { levelDifferences } from "../testing/roll-up-levels";
import { createEmptyDatabase } from "../testing/services";
import { connectDatabase, type Database } from "./client";
import { migrate } from "./migrate";

const LEVELS = "20261130080000_report_levels";
const migrations = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));
let database: TestDatabase;
let folder: string;
let db: Database;

beforeAll(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), "headgate-migrations-"));
  db = connectDatabase({ url: database.url });
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function migrateTo(isWanted: (name: string) => boolean): Promise<string[]> {
  const names = (await readdir(migrations)).filter((name) => /^\d/.test(name) && isWanted(name));
  for (const name of names)
    await cp(join(migrations, name), join(folder, name), { recursive: true });
  return migrate({ databaseUrl: database.url, folder });
}

test("counts from before there were levels are in all of them afterwards, in partitions of their time", async () => {
  // Half an hour beside UTC: hours and days must be those of UTC all the same.
  const name = new URL(database.url).pathname.slice(1);
  await db.$executeRawUnsafe(`ALTER DATABASE ${name} SET timezone = 'Asia/Kolkata'`);
  await migrateTo((each) => each < LEVELS);
  await db.$executeRaw`
    INSERT INTO count_minute SELECT minute, 'r' || n % 3, 1, 'shadow', 'live', 'free', 'other', n, n / 2, n / 4, n / 8
    FROM generate_series(0, 2000) n, LATERAL (SELECT now() - n * interval '7 minutes' AS minute) m`;
  await db.$executeRaw`
    INSERT INTO client_minute SELECT date_trunc('minute', minute), 'r', 1, 'shadow', 'live', 'key:' || n % 5, 'free',
      n, n / 2, n / 4
    FROM generate_series(0, 2000) n, LATERAL (SELECT now() - n * interval '7 minutes' AS minute) m`;
  await db.$executeRaw`UPDATE count_minute SET minute = date_trunc('minute', minute)`;
  await db.$executeRaw`
    INSERT INTO gateway_minute SELECT date_trunc('minute', now()) - n * interval '1 minute', 'gw', 1, 0, 0, 0, 1, 0, 0, 0, n % 2
    FROM generate_series(0, 2000) n`;
  await db.$executeRaw`
    INSERT INTO hit_sample (at, request_id, rule_id, revision, mode, lane, client, plan, method, route, gateway_id, epoch,
      version) SELECT now() - n * interval '1 hour', 'q' || n, 'r', 1, 'shadow', 'live', 'key:a', 'free', 'GET', 'other',
      'gw', 1, 1 FROM generate_series(0, 50) n`;
  expect(await migrateTo((each) => each === LEVELS)).toEqual([LEVELS]);
  expect(await levelDifferences(db)).toEqual([]);
  const { _sum } = await db.countDay.aggregate({ _sum: { requests: true } });
  expect(Number(_sum.requests)).toBe((2000 * 2001) / 2);
  expect(await db.clientHour.count()).toBeGreaterThan(500);
  expect(await db.gatewayHour.aggregate({ _sum: { batches: true } })).toEqual({
    _sum: { batches: 2001 },
  });
  const [strays] = await db.$queryRaw<{ rows: number }[]>`
    SELECT (SELECT count(*) FROM count_minute_default) + (SELECT count(*) FROM count_hour_default)
      + (SELECT count(*) FROM client_day_default) + (SELECT count(*) FROM hit_sample_default) AS rows`;
  expect(Number(strays?.rows)).toBe(0);
  const last = await db.hitSample.findFirstOrThrow({ orderBy: { id: "desc" } });
  await db.$executeRaw`INSERT INTO hit_sample (at, request_id, rule_id, revision, mode, lane, client, plan, method, route,
    gateway_id, epoch, version) VALUES (now(), 'next', 'r', 1, 'shadow', 'live', 'key:a', 'free', 'GET', 'other', 'gw', 1, 1)`;
  const next = await db.hitSample.findFirstOrThrow({ where: { requestId: "next" } });
  expect(next.id).toBe(last.id + 1n);
});
