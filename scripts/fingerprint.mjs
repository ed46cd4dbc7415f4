// A hash over source files, to tell whether what was built from them is stale. Built-ins only.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const SKIPPED = /(^|\/)(node_modules|generated|testing)$|\.test\.tsx?$/;

/**
 * @param {string} root
 * @param {string[]} paths files and folders under root; missing ones count as missing
 */
export function fingerprint(root, paths) {
  const hash = createHash("sha256").update(process.versions.node);
  for (const path of paths) add(hash, root, path);
  return hash.digest("hex");
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} root
 * @param {string} path
 */
function add(hash, root, path) {
  if (SKIPPED.test(path)) return;
  const full = join(root, path);
  if (!existsSync(full)) return;
  if (statSync(full).isDirectory()) {
    for (const name of readdirSync(full).sort()) add(hash, root, `${path}/${name}`);
    return;
  }
  hash.update(`\0${path}\0`).update(readFileSync(full));
}

/**
 * Runs `work` unless its result in `stampFile` is from the same sources.
 * @param {{ stampFile: string, print: string, exists: () => boolean, work: () => void | Promise<void> }} options
 * @returns {Promise<boolean>} whether work was needed
 */
export async function whenStale({ stampFile, print, exists, work }) {
  if (exists() && existsSync(stampFile) && readFileSync(stampFile, "utf8") === print) return false;
  rmSync(stampFile, { force: true });
  await work();
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, print);
  return true;
}
