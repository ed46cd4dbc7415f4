import type { Tx } from "./client";

/** Postgres's clock at this statement; `now()` would say when the transaction began, before it waited for a lock. */
export async function databaseNow(tx: Pick<Tx, "$queryRaw">): Promise<Date> {
  const [row] = await tx.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  if (row === undefined) throw new Error("Postgres gave no time");
  return row.now;
}
