// Installs what package-lock.json names when node_modules is missing or stale. Built-ins only: it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function ensureDependencies() {
  assertNode();
  if (isFresh()) return;
  await withLock({ root, name: "install" }, () => {
    if (isFresh()) return;
    if (!matchesLock()) install();
    writeFileSync(stampFile(), wanted());
  });
}

function install() {
  console.log("  dependencies   installing (about a minute the first time)");
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package)_/.test(name)),
  );
  // Without --include=dev, NODE_ENV=production would leave out the tools that build and test.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const { status, error } = npm?.endsWith(".js")
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, env, stdio: "inherit" })
    : spawnSync("npm", args, { cwd: root, env, stdio: "inherit" });
  if (status === 0) return;
  console.error(
    `Installing the dependencies failed (npm ci ${error ? error.message : `ended with ${status}`}): see above.`,
  );
  process.exit(status ?? 1);
}

function wanted() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(`${process.versions.node.split(".")[0]} ${process.platform} ${process.arch}`)
    .digest("hex");
}

// Inside node_modules, so that removing the folder removes the stamp.
function stampFile() {
  return join(root, "node_modules", ".headgate-stamp");
}

function isFresh() {
  return existsSync(stampFile()) && readFileSync(stampFile(), "utf8") === wanted();
}

/** Somebody ran `npm install` by hand: npm's own list of what is there already equals the lock. */
function matchesLock() {
  const list = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(list)) return false;
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const have = JSON.parse(readFileSync(list, "utf8")).packages;
  return Object.entries(lock).every(([path, entry]) => {
    if (path === "" || entry.link) return true;
    const found = have[path];
    if (found === undefined) return entry.optional === true && !existsSync(join(root, path));
    return found.version === entry.version && existsSync(join(root, path));
  });
}

function assertNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Headgate needs Node 20.19 or later, this is ${process.versions.node}.`);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureDependencies();
