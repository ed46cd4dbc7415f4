import type { Tx } from "@/lib/db/client";
import type { Log } from "@/lib/log";

/** What cannot be stored: where it came from, and why. */
export type Unstorable = { id: string; payload: string; reason: string };

const PAYLOAD_MAX = 65_536;
const REASON_MAX = 2_000;

/** Keeps it to be looked at: nothing is lost silently, and nothing behind it waits. */
export async function setAside(
  tx: Tx,
  { log, source, entries }: { log: Log; source: string; entries: readonly Unstorable[] },
): Promise<void> {
  if (entries.length === 0) return;
  for (const { id, reason } of entries)
    log.warn({ source, entry: id, reason }, "entry set aside: it cannot be stored");
  await tx.rejectedEntry.createMany({
    data: entries.map(({ id, payload, reason }) => ({
      stream: source,
      entryId: id,
      reason: storable(reason).slice(0, REASON_MAX),
      payload: storable(payload).slice(0, PAYLOAD_MAX),
    })),
    skipDuplicates: true,
  });
}

/** Postgres takes no NUL in text. */
function storable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd");
}
