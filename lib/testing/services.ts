import { inject } from "vitest";
import { createDatabase, type TestDatabase } from "./postgres";

declare module "vitest" {
  interface ProvidedContext {
    redisUrl: string;
    postgresUrl: string;
    postgresTemplate: string;
  }
}

/** The run's one Redis, shared by all files of the `services` project: use a random environment or key prefix. */
export function sharedRedisUrl(): string {
  return inject("redisUrl");
}

/** A fresh, migrated database, for one test file. Drop it in afterAll; that fails no test and ends open sessions. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(inject("postgresUrl"), inject("postgresTemplate"));
}

/** A database without any table, for tests of migrations. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase(inject("postgresUrl"));
}
