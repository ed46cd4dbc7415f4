import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

const services = ["**/*.redis.test.ts", "**/*.pg.test.ts"];
// These start the whole product, so they run alone: beside others a 10 ms deadline would measure the others.
const stack = ["e2e/**/*.test.ts", "scripts/start.test.ts"];

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...services, ...stack],
          pool: "threads",
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "services",
          include: services,
          exclude: [...configDefaults.exclude, ...stack],
          pool: "forks",
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 20_000,
          hookTimeout: 60_000,
          globalSetup: ["lib/testing/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "stack",
          include: stack,
          pool: "forks",
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 30_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
