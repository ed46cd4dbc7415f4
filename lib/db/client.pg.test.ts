import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../testing/postgres";
import { createTestDatabase } from "../testing/services";
import { connectDatabase, type Database } from "./client";
import { databaseNow } from "./now";

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  // Holds for connections that begin after it.
  const before = connectDatabase({ url: database.url });
  await before.$executeRawUnsafe(`ALTER DATABASE ${name} SET timezone TO 'Asia/Kolkata'`);
  await before.$disconnect();
  db = connectDatabase({ url: database.url });
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

test("instants are the same, whatever time zone the server has", async () => {
  const at = new Date("2026-03-29T01:30:00.123Z");
  const row = await db.outbox.create({ data: { kind: "version", payload: {}, createdAt: at } });
  expect(row.createdAt).toEqual(at);
  const [raw] = await db.$queryRaw<{ ms: number; same: boolean }[]>`
    SELECT (extract(epoch FROM ${at}::timestamptz) * 1000)::float8 AS ms,
      created_at = ${at}::timestamptz AS same FROM outbox`;
  expect(raw).toEqual({ ms: at.getTime(), same: true });
  const [extracted] = await db.$queryRaw<{ ms: number }[]>`
    SELECT (extract(epoch FROM created_at) * 1000)::float8 AS ms FROM outbox`;
  expect(extracted?.ms).toBe(at.getTime());
  const now = await db.$transaction((tx) => databaseNow(tx));
  expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(60_000);
});
