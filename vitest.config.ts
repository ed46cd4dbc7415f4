import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

const services = ["**/*.redis.test.ts", "**/*.pg.test.ts"];

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...services],
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
          pool: "forks",
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 20_000,
          hookTimeout: 60_000,
          globalSetup: ["lib/testing/global-setup.ts"],
        },
      },
    ],
  },
});
