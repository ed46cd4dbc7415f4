import { defineConfig } from "@playwright/test";
import { findChromium } from "./scripts/system.mjs";

const executablePath = findChromium();

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  // One stack for the run, and two cores: tests that publish must not race each other.
  workers: 1,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: "list",
  outputDir: "test-results",
  globalSetup: "./e2e/global-setup.ts",
  use: {
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      ...(executablePath && { executablePath }),
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-gpu",
      ],
    },
  },
});
