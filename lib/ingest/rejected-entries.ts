import type { Tx } from "@/lib/db/client";
import type { StreamEntry } from "@/lib/redis/streams";
import type { WorkerCtx } from "./worker-context";

export type Rejected = { entry: StreamEntry; reason: string };

const PAYLOAD_MAX = 65_536;
const REASON_MAX = 2_000;

/** Sets aside what cannot be stored, to be looked at: nothing is lost silently, and nothing behind it waits. */
export async function keepRejected(
  tx: Tx,
  { log }: Pick<WorkerCtx, "log">,
  { stream, rejected }: { stream: string; rejected: readonly Rejected[] },
): Promise<void> {
  if (rejected.length === 0) return;
  for (const { entry, reason } of rejected)
    log.warn({ stream, entry: entry.id, reason }, "entry set aside: it cannot be stored");
  await tx.rejectedEntry.createMany({
    data: rejected.map(({ entry, reason }) => ({
      stream,
      entryId: entry.id,
      reason: storable(reason).slice(0, REASON_MAX),
      payload: storable(entry.json ?? "").slice(0, PAYLOAD_MAX),
    })),
    skipDuplicates: true,
  });
}

/** Postgres takes no NUL in text. */
function storable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd");
}
