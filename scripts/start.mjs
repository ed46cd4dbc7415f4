// `npm start`: everything on one machine. Built-ins only.
import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildBundles, buildClient, buildConsole } from "./build.mjs";
import { interrupt } from "./child.mjs";
import { preparePostgres, prepareRedis } from "./databases.mjs";
import { loadDotEnv } from "./dot-env.mjs";
import { ensureDependencies } from "./ensure-deps.mjs";
import { clearEarlier, createKeeper } from "./keeper.mjs";
import { withLock } from "./lock.mjs";
import { freePort, portProblems } from "./ports.mjs";
import { step } from "./progress.mjs";
import {
  consoleProcess,
  gatewayProcesses,
  localUrl,
  runProgram,
  trafficProcess,
  upstreamProcess,
  workerProcess,
} from "./stack.mjs";

/**
 * @typedef {object} Settings what bin/configure.ts prints
 * @property {number} port
 * @property {string} host
 * @property {string} [publicUrl]
 * @property {number[]} gatewayPorts
 * @property {string} dataDir
 * @property {string} adminEmail
 * @property {string} [adminPassword] when it was made, not given
 * @property {string} secretsFile
 * @property {string} databasePassword
 * @property {string} redisPassword
 * @property {string[]} unknown
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const LOG_LIMIT_BYTES = 5_000_000;
const REPEATED_SIGNAL_MS = 1_000;
const TIDY_MS = 500;

/** An error whose message says all: shown without a stack. */
class Refusal extends Error {}

/** @type {ReturnType<typeof createKeeper> | undefined} */
let keeper;
/** @type {number | undefined} */
let stoppingSince;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void onSignal());
if (process.env.npm_lifecycle_event === "start") stopWithParent();

const started = start();
try {
  await started;
} catch (error) {
  if (stoppingSince === undefined) {
    console.error(`\n${error instanceof Error ? error.message : error}`);
    await keeper?.stop();
    process.exit(error instanceof Refusal ? 2 : 1);
  }
}

async function start() {
  const { demoAllowed, isDev } = readArguments();
  process.chdir(root);
  loadDotEnv(root);
  console.log("Headgate");
  await ensureDependencies();
  await buildClient();
  await buildBundles();
  const settings = await configure();
  const { dataDir, host, port, gatewayPorts } = settings;
  const logsDir = join(dataDir, "logs");
  mkdirSync(logsDir, { recursive: true, mode: 0o700 });
  const running = await claim(dataDir, logsDir);
  keeper = running;
  await checkPorts(settings);
  if (!isDev) await buildConsole();

  const demo = demoAllowed && !process.env.DATABASE_URL;
  const { env, databases } = await startDatabases({ settings, logsDir, keeper: running });
  await step("migrations", async (say) => say((await runProgram({ name: "migrate", env })).trim()));
  const upstreamPort = env.HEADGATE_UPSTREAM ? undefined : await freePort(portsOf(settings));
  const options = {
    env,
    logsDir,
    host,
    port,
    gatewayPorts,
    isDev,
    ...(upstreamPort && { upstreamPort }),
  };
  const [seeded] = await step("console", () =>
    Promise.all([
      runProgram({ name: "seed", args: demo ? ["--demo"] : [], env }).then(lastJson),
      // It answers ready once the seed has made the first version.
      running.keep(consoleProcess(options)),
      ...(upstreamPort ? [running.keep(upstreamProcess(options))] : []),
    ]),
  );
  await step("gateways", () =>
    Promise.all([workerProcess(options), ...gatewayProcesses(options)].map(running.keep)),
  );
  if (demo) await running.keep(trafficProcess(options));
  showSummary({ settings, demo, databases, seeded, logsDir, sample: upstreamPort });
  if (!(await isRedisUp(host, port))) {
    console.log(
      `  note: Redis does not answer, so each gateway limits by its own share; ${join(relative(process.cwd(), logsDir), "console.log")} says why\n`,
    );
  }
}

/**
 * A given Redis may be away, or refuse the password: everything starts without it, and whoever starts it should know.
 * @param {string} host
 * @param {number} port of the console
 */
async function isRedisUp(host, port) {
  try {
    const answer = await fetch(`${localUrl(host, port)}/api/v1/health`, {
      signal: AbortSignal.timeout(5_000),
    });
    return (await answer.json()).redis === "ok";
  } catch {
    return true; // the keeper tells of a console that does not answer
  }
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        "no-demo": { type: "boolean" },
        dev: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    if (values.help) {
      console.log(
        "npm start [-- --no-demo] [--dev]\n\n  --no-demo  leaves out the demo's rules, clients and traffic\n  --dev      runs the console from its sources, compiled as they change\n",
      );
      console.log("Variables: see .env.example");
      process.exit(0);
    }
    return { demoAllowed: !values["no-demo"], isDev: values.dev === true };
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : error}\nnpm start takes -- --no-demo, --dev, or nothing`,
    );
    process.exit(2);
  }
}

/** @returns {Promise<Settings>} */
async function configure() {
  let output = "";
  try {
    output = await runProgram({ name: "configure", env: process.env });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Refusal(text.replace(/^configure ended with 2:\n/, ""));
  }
  const settings = JSON.parse(output);
  for (const name of settings.unknown) {
    console.log(
      `  note: ${name} is no variable of Headgate and has no effect; .env.example lists them`,
    );
  }
  return settings;
}

/**
 * Makes this the one supervisor of its data folder, and clears away what a killed one left.
 * @param {string} dataDir
 * @param {string} logsDir
 */
async function claim(dataDir, logsDir) {
  const file = join(dataDir, "running.json");
  return withLock({ root: dataDir, name: "start" }, async () => {
    const earlier = await clearEarlier(file);
    if ("pid" in earlier) {
      throw new Refusal(
        `Headgate already runs on ${dataDir} (process ${earlier.pid}): stop it first, or set HEADGATE_DATA and the ports to others.`,
      );
    }
    if (earlier.stopped.length > 0) {
      console.log(`  stopped what a killed start had left: ${earlier.stopped.join(", ")}`);
    }
    for (const name of ["console", "worker", "upstream", "traffic", "postgres", "redis"])
      rotate(join(logsDir, `${name}.log`));
    return createKeeper({
      file,
      say: (line) => console.log(`${new Date().toISOString()} ${line}`),
    });
  });
}

/** @param {string} file */
function rotate(file) {
  if (existsSync(file) && statSync(file).size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`);
}

/**
 * What this start will listen on, besides what it chooses itself.
 * @param {Settings} settings
 */
function portsOf({ port, gatewayPorts }) {
  return [port, ...gatewayPorts, ...gatewayPorts.map((gatewayPort) => gatewayPort + 1000)];
}

/** @param {Settings} settings */
async function checkPorts({ host, port, gatewayPorts }) {
  const problems = await portProblems({
    host,
    wanted: [
      { port, what: "console", variable: "PORT" },
      ...gatewayPorts.flatMap((gatewayPort) => [
        { port: gatewayPort, what: "gateway", variable: "HEADGATE_GATEWAY_PORTS" },
        {
          port: gatewayPort + 1000,
          what: "gateway admin, its port + 1000",
          variable: "HEADGATE_GATEWAY_PORTS",
        },
      ]),
    ],
  });
  if (problems.length > 0) throw new Refusal(problems.join("\n"));
}

/**
 * @param {{ settings: Settings, logsDir: string, keeper: ReturnType<typeof createKeeper> }} options
 */
async function startDatabases({ settings, logsDir, keeper: running }) {
  const { dataDir, host, databasePassword, redisPassword } = settings;
  const env = {
    ...withoutNpm(process.env),
    HEADGATE_DATA: dataDir,
    HEADGATE_TRUST_PROXY: process.env.HEADGATE_TRUST_PROXY || "loopback",
    HEADGATE_HOST: host,
  };
  /** @type {string[]} */
  const databases = [];
  if (!process.env.DATABASE_URL) {
    await step("Postgres", async () => {
      const postgres = await preparePostgres({
        dataDir,
        logsDir,
        port: await freePort(portsOf(settings)),
        password: databasePassword,
      });
      await running.keep({ name: "postgres", stage: 2, restartAfterMs: 3_000, ...postgres });
      env.DATABASE_URL = postgres.url;
      databases.push(postgres.what);
    });
  }
  if (!process.env.REDIS_URL && !process.env.REDIS_CLUSTER && !process.env.REDIS_URLS) {
    await step("Redis", async () => {
      const redis = prepareRedis({
        dataDir,
        logsDir,
        port: await freePort(portsOf(settings)),
        password: redisPassword,
      });
      await running.keep({ name: "redis", stage: 2, restartAfterMs: 3_000, ...redis });
      env.REDIS_URL = redis.url;
      databases.push(redis.what);
    });
  }
  return { env, databases };
}

/** @param {Record<string, string | undefined>} env */
function withoutNpm(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("npm_")));
}

/**
 * The last line that is a JSON object; the demo's seed prints one with a key to try.
 * @param {string} output
 * @returns {{ demoKey?: string }}
 */
function lastJson(output) {
  const line = output
    .trim()
    .split("\n")
    .findLast((text) => text.startsWith("{"));
  return line === undefined ? {} : JSON.parse(line);
}

/**
 * @param {{ settings: Settings, demo: boolean, databases: string[], seeded: { demoKey?: string }, logsDir: string, sample: number | undefined }} options
 */
function showSummary({ settings, demo, databases, seeded, logsDir, sample }) {
  const { host, port, gatewayPorts, adminEmail, adminPassword, secretsFile } = settings;
  const url = (/** @type {number} */ at) => localUrl(host, at).replace("127.0.0.1", "localhost");
  const here = (/** @type {string} */ path) => relative(process.cwd(), path) || ".";
  const key = seeded.demoKey === undefined ? "" : ` -H 'X-API-Key: ${seeded.demoKey}'`;
  const password = adminPassword
    ? `password ${adminPassword} (made for you, kept in ${here(secretsFile)})`
    : "the password of HEADGATE_ADMIN_PASSWORD";
  const rows = [
    ["Console", settings.publicUrl ?? url(port)],
    ["Sign in", `${adminEmail}, ${password}`],
    ["Gateways", gatewayPorts.map((at) => `${url(at)} (admin ${at + 1000})`).join(", ")],
    [
      "Upstream",
      sample
        ? `a sample SMS and links API at ${url(sample)}`
        : (process.env.HEADGATE_UPSTREAM ?? ""),
    ],
    ...databases.map((what, i) => [i === 0 ? "Databases" : "", what]),
    ...(demo
      ? [["Demo", "traffic runs through both gateways; leave it out with npm start -- --no-demo"]]
      : []),
    ["Try", `curl -i ${url(gatewayPorts[0] ?? 0)}/v1/messages${key}`],
    ["Logs", here(logsDir)],
    ["Stop", "Ctrl-C"],
  ];
  console.log(`\nHeadgate is running\n`);
  for (const [name = "", text] of rows) console.log(`  ${name.padEnd(10)} ${text}`);
  console.log("");
}

async function onSignal() {
  if (stoppingSince !== undefined) {
    // A terminal and npm may each send the same Ctrl-C; a later one is a person who does not want to wait.
    if (performance.now() - stoppingSince < REPEATED_SIGNAL_MS) return;
    keeper?.killAll();
    process.exit(1);
  }
  stoppingSince = performance.now();
  interrupt.abort();
  console.log("\nstopping");
  // A start that was cut short tidies up what it was at.
  await Promise.race([started.catch(() => {}), sleep(TIDY_MS)]);
  await keeper?.stop();
  console.log(`stopped (${((performance.now() - stoppingSince) / 1000).toFixed(1)} s)`);
  process.exit(0);
}

/** npm, when it is killed, cannot tell us. */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    void onSignal();
  }, 500);
  timer.unref();
}
