import { randomUUID } from "node:crypto";
import type { Reader } from "./client";

type Attempt = { key: string; windowMs: number; nowMs: number };

/** Counts one attempt, over all replicas, and tells how many there were in this window and when it ends. */
export async function countAttempt(
  reader: Reader,
  { key, windowMs, nowMs }: Attempt,
): Promise<{ count: number; endsMs: number }> {
  const rows = await reader.$queryRaw<{ count: number; began: bigint }[]>`
    INSERT INTO rate_limit AS held (id, key, count, last_request)
    VALUES (${randomUUID()}, ${key}, 1, ${BigInt(nowMs)})
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN held.last_request <= ${BigInt(nowMs - windowMs)} THEN 1 ELSE held.count + 1 END,
      last_request = CASE WHEN held.last_request <= ${BigInt(nowMs - windowMs)}
        THEN excluded.last_request ELSE held.last_request END
    RETURNING count, last_request AS began`;
  const [row] = rows;
  if (row === undefined) throw new Error("the attempt was not counted");
  return { count: row.count, endsMs: Number(row.began) + windowMs };
}

export async function forgetAttempts(reader: Reader, key: string): Promise<void> {
  await reader.rateLimit.deleteMany({ where: { key } });
}
