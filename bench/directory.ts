import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { bootFolder } from "@/lib/agent/boot-folder";
import { directoryFile } from "@/lib/agent/directory-file";
import type { DirectoryEntry } from "@/lib/core/directory";
import { linesOf } from "@/lib/core/directory-lines";
import { type Figure, figure } from "./figure";

export const KEYS = 2_000_000;
export const ENVIRONMENT = "bench";
export const SECRET = Buffer.alloc(32, 7);
/** Ids of twelve letters, as Headgate makes them. */
export const keyText = (i: number) => `hg_${i.toString(36).padStart(32, "0")}`;

const MeasuredSchema = z.object({
  rssMB: z.number(),
  allocatedMB: z.number(),
  loadSeconds: z.number(),
  loadCpuSeconds: z.number(),
  longestBlockMs: z.number(),
  lookUpMicros: z.number(),
  hashedMicros: z.number(),
  deltaMicros: z.number(),
  saveSeconds: z.number(),
});

/** A gateway's directory of two million keys, read from its boot file by a process of its own. */
export async function benchDirectory(): Promise<Figure[]> {
  const shared = await measured(10);
  const own = await measured(1);
  return [
    ...figures("directory.ten-keys-a-customer", shared),
    ...figures("directory.a-customer-a-key", own),
  ];
}

function figures(name: string, of: z.output<typeof MeasuredSchema>): Figure[] {
  return [
    figure(`${name}.rss`, of.rssMB, "MB", { atMost: 100 }),
    figure(`${name}.allocated`, of.allocatedMB, "MB", { atMost: 100 }),
    figure(`${name}.load`, of.loadSeconds, "s", { atMost: 5 }),
    figure(`${name}.load-cpu`, of.loadCpuSeconds, "s"),
    figure(`${name}.load-longest-turn`, of.longestBlockMs, "ms", { atMost: 50 }),
    figure(`${name}.look-up`, of.lookUpMicros, "µs", { atMost: 1 }),
    figure(`${name}.look-up-with-hash`, of.hashedMicros, "µs", { atMost: 12 }),
    figure(`${name}.delta`, of.deltaMicros, "µs"),
    figure(`${name}.save`, of.saveSeconds, "s"),
  ];
}

async function measured(keysPerCustomer: number): Promise<z.output<typeof MeasuredSchema>> {
  const dataDir = await mkdtemp(join(tmpdir(), "headgate-bench-directory-"));
  try {
    const expected = {
      keys: KEYS,
      names: KEYS + (keysPerCustomer > 1 ? KEYS / keysPerCustomer : 0),
    };
    const at = { environment: ENVIRONMENT, epoch: 1, seq: 1 };
    const head = { format: "headgate-directory/1", ...at, expected } as const;
    const file = directoryFile(bootFolder({ dataDir, gatewayId: "bench" }), ENVIRONMENT);
    await file.writeBase(head, linesOf(entries(keysPerCustomer)));
    return MeasuredSchema.parse(JSON.parse(await measureIn(dataDir)));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function* entries(keysPerCustomer: number): Generator<DirectoryEntry> {
  for (let i = 0; i < KEYS; i += 1) {
    const id = keyId(i);
    const first = i - (i % keysPerCustomer);
    const customer = keysPerCustomer === 1 ? id : `customer-${first}`;
    if (i === first) yield { type: "customer", id: customer, plan: i % 2 === 0 ? "free" : "paid" };
    const hash = createHmac("sha256", SECRET).update(keyText(i)).digest("hex");
    yield { type: "key", hash, keyId: "bench", id, customer };
  }
}

function keyId(i: number): string {
  return `k${((i * 7_919) % 2 ** 40).toString(36).padStart(11, "0")}`;
}

function measureIn(dataDir: string): Promise<string> {
  const script = fileURLToPath(new URL("./directory-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--expose-gc", "--import", "tsx", script, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(text) : reject(new Error(`the measuring process ended with ${code}`)),
    );
  });
}
