// Programs that tests need from the machine. Built-ins only.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findRedisServer } from "./redis.mjs";

const APT = "/usr/bin/apt-get";
const BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** CHROMIUM_PATH, or where systems keep Chromium or Chrome. */
export function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  return given ? given : BROWSERS.find((path) => existsSync(path));
}

const programs = {
  redis: { find: findRedisServer, name: "redis-server", packages: ["redis-server"] },
  chromium: { find: findChromium, name: "Chromium", packages: ["chromium", "fonts-liberation"] },
};

/**
 * Makes sure that the programs are there, by apt when we are root on Debian or its like.
 * @param {(keyof typeof programs)[]} wanted
 * @returns {string[]} a sentence for each that is missing and could not be installed
 */
export function ensurePrograms(wanted) {
  const missing = wanted.map((name) => programs[name]).filter(({ find }) => find() === undefined);
  if (missing.length === 0) return [];
  const packages = missing.flatMap((program) => program.packages);
  if (process.getuid?.() === 0 && existsSync(APT)) {
    console.log(`  installing ${packages.join(", ")}`);
    apt(["update"]);
    apt(["install", "-y", "--no-install-recommends", ...packages]);
  }
  return missing
    .filter(({ find }) => find() === undefined)
    .map((program) => `${program.name} is missing: apt-get install ${program.packages.join(" ")}`);
}

/** @param {string[]} args */
function apt(args) {
  const { status, error, stdout, stderr } = spawnSync(APT, ["-q", ...args], {
    encoding: "utf8",
    // RUNLEVEL keeps the packages from starting their services.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
  if (status !== 0)
    console.error(`apt-get ${args[0]} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}
