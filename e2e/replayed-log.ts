import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import {
  type BucketState,
  fullBucket,
  MICRO,
  refill,
  spend,
  type TokenBucket,
} from "../lib/core/bucket";

const run = promisify(execFile);
const runner = fileURLToPath(new URL("../scripts/run.mjs", import.meta.url));

/** Requests of one client in the log. */
export type Arrivals = ReadonlyMap<string, number>;

/** Clients by turns, a second apart, as an access log has them. */
export function accessLog(arrivals: Arrivals): string {
  const left = new Map(arrivals);
  const lines: string[] = [];
  for (let at = Date.UTC(2026, 0, 31, 2, 0, 0); left.size > 0; ) {
    for (const [client, count] of left) {
      const time = new Date(at).toISOString();
      const stamp = `31/Jan/2026:${time.slice(11, 19)} +0000`;
      lines.push(`${client} - - [${stamp}] "GET /v1/messages HTTP/1.1" 200 17 "-" "replayed"`);
      if (count === 1) left.delete(client);
      else left.set(client, count - 1);
      at += 1000;
    }
  }
  return `${lines.join("\n")}\n`;
}

const ReplaySchema = z.object({
  seconds: z.number(),
  sent: z.int(),
  allowed: z.int(),
  rejected: z.int(),
  failed: z.int(),
  clients: z.int(),
});

/** Sends the log through the gateways as fast as they answer: what the command line printed. */
export async function replay(log: string, gateways: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "headgate-e2e-log-"));
  try {
    const file = join(folder, "access.log");
    await writeFile(file, log);
    const args = [runner, "headgate", "replay", file, "--gateway", gateways.join(","), "--json"];
    const { stdout } = await run(process.execPath, args);
    return ReplaySchema.parse(JSON.parse(stdout.slice(stdout.indexOf("{"))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export type Worlds = Map<string, BucketState>;

/**
 * What the arithmetic of lib/core says of the same arrivals: rejections a client. `worlds` goes on from replay to
 * replay, as counters do from shadow to enforce.
 */
export function expectedRejections(
  arrivals: Arrivals,
  { bucket, seconds, worlds }: { bucket: TokenBucket; seconds: number; worlds: Worlds },
): Map<string, number> {
  const rejections = new Map<string, number>();
  for (const [client, count] of arrivals) {
    let state = worlds.get(client) ?? fullBucket(bucket, 0);
    let refused = 0;
    for (let n = 0; n < count; n += 1) {
      state = refill(state, bucket, Math.round((seconds * 1e6 * n) / count));
      if (state.level >= MICRO) state = spend(state, MICRO);
      else refused += 1;
    }
    worlds.set(client, state);
    if (refused > 0) rejections.set(client, refused);
  }
  return rejections;
}
