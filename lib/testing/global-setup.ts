import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { migrate } from "../db/migrate";
import { createDatabase, startPostgres } from "./postgres";
import { startRedis } from "./redis";

/** One Redis and one Postgres for the whole `services` project, and a migrated template database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  const template = await createDatabase(postgres.url);
  await migrate({
    databaseUrl: template.url,
    folder: fileURLToPath(new URL("../../prisma/migrations", import.meta.url)),
  });
  project.provide("redisUrl", redis.url);
  project.provide("postgresUrl", postgres.url);
  project.provide("postgresTemplate", new URL(template.url).pathname.slice(1));
  return async () => {
    await Promise.all([redis.stop(), postgres.stop()]);
  };
}
