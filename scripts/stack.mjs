// Headgate's own processes on given databases: used by `npm start` and by the end-to-end tests. Built-ins only.
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runToEnd, startChild } from "./child.mjs";

/**
 * @typedef {import("./keeper.mjs").Kept} Kept
 * @typedef {object} StackOptions
 * @property {Record<string, string | undefined>} env with DATABASE_URL, HEADGATE_DATA and a Redis
 * @property {string} logsDir
 * @property {string} host
 * @property {number} port
 * @property {number[]} gatewayPorts
 * @property {boolean} [isDev] runs the console from its sources
 * @property {number} [upstreamPort] of the sample upstream; without it, env has HEADGATE_UPSTREAM
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const program = (/** @type {string} */ name) => join(root, "dist", `${name}.mjs`);

/**
 * Runs a program of dist/ to its end and returns its standard output.
 * @param {{ name: string, args?: string[], env: Record<string, string | undefined> }} options
 */
export function runProgram({ name, args = [], env }) {
  return runToEnd({
    name,
    command: process.execPath,
    args: ["--enable-source-maps", program(name), ...args],
    cwd: root,
    env,
  });
}

/** @param {StackOptions} options */
export function consoleProcess({ env, logsDir, host, port, isDev = false }) {
  const next = join(root, "node_modules", "next", "dist", "bin", "next");
  return kept("console", {
    stage: 1,
    logsDir,
    args: [next, isDev ? "dev" : "start", "-p", String(port), "-H", host],
    env: {
      ...env,
      PORT: String(port),
      HEADGATE_HOST: host,
      NODE_ENV: isDev ? "development" : "production",
      NEXT_TELEMETRY_DISABLED: "1",
    },
    isReady: () => answers(`${localUrl(host, port)}/api/v1/health`),
  });
}

/** @param {StackOptions} options */
export function workerProcess({ env, logsDir }) {
  return kept("worker", { stage: 1, logsDir, args: [program("worker")], env });
}

/**
 * @param {StackOptions} options
 * @returns {Kept[]}
 */
export function gatewayProcesses({ env, logsDir, host, port, gatewayPorts, upstreamPort }) {
  return gatewayPorts.map((gatewayPort) =>
    kept(`gateway ${gatewayPort}`, {
      stage: 0,
      logsDir,
      args: [program("gateway")],
      env: {
        ...env,
        HEADGATE_HOST: host,
        HEADGATE_GATEWAY_PORT: String(gatewayPort),
        HEADGATE_GATEWAY_ID: gatewayId(env.HEADGATE_GATEWAY_ID, gatewayPort, gatewayPorts.length),
        HEADGATE_CONTROL_URL: env.HEADGATE_CONTROL_URL || localUrl(host, port),
        HEADGATE_UPSTREAM:
          upstreamPort === undefined ? env.HEADGATE_UPSTREAM : localUrl(host, upstreamPort),
      },
      isReady: () => answers(`${localUrl(host, gatewayPort + 1000)}/ready`),
    }),
  );
}

/** @param {StackOptions} options */
export function upstreamProcess({ env, logsDir, host, upstreamPort }) {
  return kept("upstream", {
    stage: 1,
    logsDir,
    args: [program("upstream")],
    env: { ...env, HEADGATE_HOST: host, HEADGATE_UPSTREAM_PORT: String(upstreamPort) },
    isReady: () => answers(`${localUrl(host, upstreamPort ?? 0)}/v1/messages`),
  });
}

/** @param {StackOptions} options */
export function trafficProcess({ env, logsDir, host, gatewayPorts }) {
  return kept("traffic", {
    stage: 0,
    logsDir,
    args: [program("traffic")],
    env: {
      ...env,
      HEADGATE_GATEWAY_URLS: gatewayPorts.map((port) => localUrl(host, port)).join(","),
    },
  });
}

/**
 * Where this machine reaches what listens on `host`.
 * @param {string} host
 * @param {number} port
 */
export function localUrl(host, port) {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/**
 * One name for several gateways would make them one in the fleet: each gets its port after it.
 * @param {string | undefined} given
 * @param {number} port
 * @param {number} count
 */
function gatewayId(given, port, count) {
  if (!given) return `${hostname()}-${port}`;
  return count === 1 ? given : `${given}-${port}`;
}

/**
 * @param {string} name
 * @param {{ stage: number, logsDir: string, args: string[], env: Record<string, string | undefined>, isReady?: () => Promise<boolean> }} options
 * @returns {Kept}
 */
function kept(name, { stage, logsDir, args, env, isReady }) {
  const logFile = join(logsDir, `${name.replace(" ", "-")}.log`);
  return {
    name,
    stage,
    logFile,
    start: () =>
      startChild({
        name,
        command: process.execPath,
        args: ["--enable-source-maps", ...args],
        cwd: root,
        env,
        logFile,
        ...(isReady && { isReady }),
      }),
  };
}

/** @param {string} url */
async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
