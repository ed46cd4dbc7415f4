import { Client } from "pg";
import { OUTBOX_CHANNEL } from "@/lib/db/outbox";
import { runLoop, type Wake } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** A dead connection is noticed this soon; until then the relay's timer does the work. */
const PROBE_MS = 5_000;
const TIMEOUT_MS = 5_000;

/** Wakes the relay at each commit that has something to announce. */
export async function runListenOutbox(
  ctx: WorkerCtx,
  wake: Wake,
  signal: AbortSignal,
): Promise<void> {
  let client: Client | undefined;
  const end = async () => {
    const ended = client;
    client = undefined;
    await ended?.end().catch(() => {});
  };
  const pass = async () => {
    try {
      if (client === undefined) {
        client = await listen(ctx.config.databaseUrl, wake);
        // What was committed before we listened.
        wake.wake();
      } else {
        await client.query("SELECT 1");
      }
    } catch (error) {
      await end();
      throw error;
    }
  };
  await runLoop({ name: "listen-outbox", pass, everyMs: PROBE_MS, log: ctx.log }, signal);
  await end();
}

async function listen(connectionString: string, wake: Wake): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: "headgate-outbox",
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
  });
  client.on("notification", () => wake.wake());
  // The next probe finds it dead; without a listener the process would end here.
  client.on("error", () => wake.wake());
  await client.connect();
  await client.query(`LISTEN ${OUTBOX_CHANNEL}`);
  return client;
}
