import type { DirectoryPosition } from "@/lib/core/directory";
import type { VersionId } from "@/lib/core/version";
import type { Tx } from "./client";

/** Postgres channel that wakes the workers; they also look on a timer. */
export const OUTBOX_CHANNEL = "headgate_outbox";

export type Announcement =
  | ({ kind: "version"; hash: string } & VersionId)
  | ({ kind: "directory" } & DirectoryPosition);

/** Committed with the change that it announces, so a crash right after the commit loses nothing. */
export async function enqueue(tx: Tx, announcement: Announcement): Promise<void> {
  await tx.outbox.create({ data: { kind: announcement.kind, payload: announcement } });
  await tx.$queryRaw`SELECT 1 AS done FROM pg_notify(${OUTBOX_CHANNEL}, '')`;
}
