import type { Tx } from "./client";

/** Postgres channel that tells open consoles that something they show has changed; they also look on a timer. */
export const CHANGES_CHANNEL = "headgate_changes";

/** Told when the transaction commits; without content, as the database is the truth. */
export async function tellChange(tx: Pick<Tx, "$queryRaw">): Promise<void> {
  await tx.$queryRaw`SELECT 1 AS done FROM pg_notify(${CHANGES_CHANNEL}, '')`;
}
