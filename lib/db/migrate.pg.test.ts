import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TestDatabase } from "../testing/postgres";
import { createEmptyDatabase } from "../testing/services";
import { migrate } from "./migrate";

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), "headgate-migrations-"));
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

test("of three that start at once, one applies and two find nothing to do", async () => {
  await write("1_things", "CREATE TABLE things (id int); SELECT pg_sleep(0.2);");
  await write("2_more", "ALTER TABLE things ADD COLUMN name text;");
  const applied = await Promise.all([run(), run(), run()]);
  expect(applied.flat()).toEqual(["1_things", "2_more"]);
  expect(applied.filter((names) => names.length === 0)).toHaveLength(2);
  expect(await rows()).toEqual([
    { migration_name: "1_things", finished: true, applied_steps_count: 1, logs: null },
    { migration_name: "2_more", finished: true, applied_steps_count: 1, logs: null },
  ]);
});

test("a later run applies only what is new", async () => {
  await write("1_things", "CREATE TABLE things (id int);");
  await run();
  await write("2_more", "CREATE TABLE more (id int);");
  expect(await run()).toEqual(["2_more"]);
  expect(await run()).toEqual([]);
});

test("a file edited after it was applied is refused by name, and nothing newer is applied", async () => {
  await write("1_things", "CREATE TABLE things (id int);");
  await run();
  await write("1_things", "CREATE TABLE things (id bigint);");
  await write("2_more", "CREATE TABLE more (id int);");
  await expect(run()).rejects.toThrow("migration 1_things was edited after it was applied");
  expect(await rows()).toHaveLength(1);
});

test("a failed migration leaves nothing of itself, is remembered with its message, and stops every later run", async () => {
  await write("1_things", "CREATE TABLE things (id int); SELECT 1 / 0;");
  await write("2_more", "CREATE TABLE more (id int);");
  await expect(run()).rejects.toThrow("migration 1_things failed: division by zero");
  expect(await tables()).toEqual(["_prisma_migrations"]);
  expect(await rows()).toEqual([
    {
      migration_name: "1_things",
      finished: false,
      applied_steps_count: 0,
      logs: "division by zero",
    },
  ]);
  await expect(run()).rejects.toThrow("migration 1_things failed earlier");
});

test("a failed migration that somebody marked as rolled back is applied again", async () => {
  await write("1_things", "SELECT 1 / 0;");
  await expect(run()).rejects.toThrow("failed");
  await query("UPDATE _prisma_migrations SET rolled_back_at = now()");
  await write("1_things", "SELECT 1;");
  expect(await run()).toEqual(["1_things"]);
});

test("a database that is newer than the program is refused", async () => {
  await write("1_things", "SELECT 1;");
  await write("2_more", "SELECT 1;");
  await run();
  await rm(join(folder, "2_more"), { recursive: true });
  await expect(run()).rejects.toThrow(
    "the database has migrations that this program does not: 2_more",
  );
});

function run() {
  return migrate({ databaseUrl: database.url, folder });
}

async function write(name: string, sql: string) {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, "migration.sql"), sql);
}

async function query(sql: string) {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function rows() {
  return query(
    "SELECT migration_name, finished_at IS NOT NULL AS finished, applied_steps_count, logs FROM _prisma_migrations ORDER BY started_at",
  );
}

async function tables() {
  return (await query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).map(
    (row) => row.tablename,
  );
}
