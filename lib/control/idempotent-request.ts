import { createHash, randomUUID } from "node:crypto";
import { AppError } from "@/lib/core/errors";
import { inTransaction, type Tx, withMark } from "@/lib/db/client";
import type { Ctx } from "./context";
import { draftOwner } from "./draft-owner";

export const IDEMPOTENCY_KEPT_MS = 86_400_000;
/** Longer than a transaction may wait and run: an attempt that is older and did not commit is dead. */
const ATTEMPT_MS = 60_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

export type IdempotentAnswer = { status: number; answer: unknown };

type Idempotent = {
  /** As the caller sent it. */
  key: string;
  method: string;
  /** With the query. */
  path: string;
  body: Uint8Array;
  /** Members of the answer that are told once: a replay comes without them. */
  secrets: readonly string[];
  /** Does it, with the context that it is given. */
  act(ctx: Ctx): Promise<IdempotentAnswer>;
};

type Row = { owner: string; key: string; claim: string };

/**
 * Once for (who, key) in 24 h: a repetition gets the stored answer, another request under the same key is refused. What was
 * refused or failed did nothing and is not stored. The attempt's row is marked in the transaction of its effect, so
 * a process that dies in between leaves no second effect behind.
 */
export async function runIdempotent(
  ctx: Ctx,
  { key, method, path, body, secrets, act }: Idempotent,
): Promise<IdempotentAnswer & { replayed: boolean }> {
  if (!KEY.test(key))
    throw new AppError(
      "invalid",
      `Idempotency-Key must be 1..255 visible ASCII characters, got ${key.length}`,
    );
  const row: Row = { owner: draftOwner(ctx.actor), key, claim: randomUUID() };
  const requestHash = createHash("sha256").update(`${method} ${path}\n`).update(body).digest("hex");
  const stored = await claim(ctx, row, requestHash);
  if (stored !== null) return { ...stored, replayed: true };
  try {
    const made = await act({ ...ctx, db: withMark(ctx.db, (tx) => markCommitted(tx, row)) });
    await ctx.db.idempotentRequest.updateMany({
      where: row,
      data: { status: made.status, answer: JSON.stringify(withoutMembers(made.answer, secrets)) },
    });
    return { ...made, replayed: false };
  } catch (error) {
    await ctx.db.idempotentRequest.deleteMany({ where: { ...row, committedAt: null } });
    throw error;
  }
}

/** Null: it is ours to do. Else the answer that it had. */
async function claim(ctx: Ctx, row: Row, requestHash: string): Promise<IdempotentAnswer | null> {
  const nowMs = ctx.clock.nowMs();
  const [now, dead, expired] = [0, ATTEMPT_MS, IDEMPOTENCY_KEPT_MS].map(
    (ms) => new Date(nowMs - ms),
  );
  return inTransaction(ctx.db, async (tx) => {
    const taken = await tx.$queryRaw<{ claim: string }[]>`
      INSERT INTO idempotent_request AS r (owner, key, request_hash, claim, claimed_at)
      VALUES (${row.owner}, ${row.key}, ${requestHash}, ${row.claim}, ${now}::timestamptz)
      ON CONFLICT (owner, key) DO UPDATE SET request_hash = excluded.request_hash, claim = excluded.claim,
        claimed_at = excluded.claimed_at, committed_at = NULL, status = NULL, answer = NULL
      WHERE r.claimed_at <= ${expired}::timestamptz
        OR (r.request_hash = excluded.request_hash AND r.status IS NULL AND r.committed_at IS NULL
          AND r.claimed_at <= ${dead}::timestamptz)
      RETURNING r.claim`;
    if (taken.length > 0) return null;
    const held = await tx.idempotentRequest.findUnique({
      where: { owner_key: { owner: row.owner, key: row.key } },
    });
    if (held === null) throw inProgress();
    if (held.requestHash !== requestHash)
      throw new AppError(
        "invalid",
        "this Idempotency-Key was sent with another request: a new request needs a new key",
      );
    if (held.status !== null && held.answer !== null)
      return { status: held.status, answer: JSON.parse(held.answer) as unknown };
    if (held.committedAt === null || held.claimedAt > (dead ?? held.claimedAt)) throw inProgress();
    throw new AppError(
      "conflict",
      `the request with this Idempotency-Key was done at ${held.committedAt.toISOString()}, its answer was lost: look what it made, and use a new key for what is next`,
      { details: { reason: "answer-lost", committedAt: held.committedAt.toISOString() } },
    );
  });
}

function inProgress(): AppError {
  return new AppError(
    "conflict",
    "the same request is being done at this moment: ask again in a second with the same key",
    { details: { reason: "in-progress", retryAfterSeconds: 1 } },
  );
}

/** Under the row's lock, with the effect: an attempt that was given up as dead commits nothing. */
async function markCommitted(tx: Tx, row: Row): Promise<void> {
  const marked = await tx.$executeRaw`
    UPDATE idempotent_request SET committed_at = COALESCE(committed_at, clock_timestamp())
    WHERE owner = ${row.owner} AND key = ${row.key} AND claim = ${row.claim}`;
  if (marked === 0) throw inProgress();
}

function withoutMembers(answer: unknown, names: readonly string[]): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !names.includes(name)));
}
