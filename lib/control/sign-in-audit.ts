import { inTransaction, type Tx } from "@/lib/db/client";
import type { Actor, Control } from "./context";
import { recordAudit } from "./record-audit";
import { roleOf } from "./session";

export type Way = "password" | "single sign-on";

/** Refusals that are listed in an hour, by each way: whoever tries for ever does not fill the log. */
export const REFUSALS_LISTED = 100;
const LISTED_WINDOW_MS = 3_600_000;
/** For how long an address where somebody signed in is theirs. */
const HOME_MS = 30 * 86_400_000;

type Person = { id: string; name: string; email: string; role: string };

const actorOf = ({ id, name, role }: Person): Actor => ({
  type: "user",
  id,
  name,
  role: roleOf(role),
});

/** Nobody knows who it was. */
const STRANGER: Actor = { type: "system", id: "sign-in", name: "Sign-in" };

/** Before the session is there: without its row there is none. */
export async function recordSignIn(
  tx: Tx,
  { user, address, way }: { user: Person; address: string; way: Way },
): Promise<void> {
  await recordAudit(tx, actorOf(user), {
    action: "session.sign-in",
    kind: "session",
    objectId: user.id,
    sentence: `${user.name} (${user.email}) signed in by ${way} from ${address}`,
    details: { address, way },
  });
}

export async function recordSignOut(tx: Tx, user: Person): Promise<void> {
  await recordAudit(tx, actorOf(user), {
    action: "session.sign-out",
    kind: "session",
    objectId: user.id,
    sentence: `${user.name} (${user.email}) signed out`,
  });
}

type Refusal = {
  /** Which account was asked for, in words; null: only the issuer knows. What was typed for one that is not there may be a password. */
  account: string | null;
  userId?: string | undefined;
  address: string;
  way: Way;
  /** After "was refused: ". */
  why: string;
};

/** Writes a row, at most `REFUSALS_LISTED` an hour; what was left out is told by two more. */
export async function recordRefusedSignIn(
  { db, clock }: Pick<Control, "db" | "clock">,
  { account, userId, address, way, why }: Refusal,
): Promise<void> {
  const nowMs = clock.nowMs();
  await inTransaction(db, async (tx) => {
    const entry = { kind: "session", objectId: userId ?? address, details: { address, way } };
    const { count, before } = await countRefusal(tx, { way, nowMs });
    if (before !== null && before.count > REFUSALS_LISTED)
      await recordAudit(tx, STRANGER, {
        ...entry,
        action: "session.unlisted",
        sentence: `${before.count - REFUSALS_LISTED} more refused sign-ins by ${way} are not listed, in the hour from ${instant(before.fromMs)}`,
      });
    if (count > REFUSALS_LISTED + 1) return;
    const isLast = count === REFUSALS_LISTED + 1;
    const to = account === null ? "" : ` to ${account}`;
    const ends = `${REFUSALS_LISTED} sign-ins by ${way} were refused within an hour: more are counted, and listed again in the next one`;
    await recordAudit(tx, STRANGER, {
      ...entry,
      action: isLast ? "session.unlisted" : "session.refuse",
      sentence: isLast ? ends : `A sign-in${to} by ${way} from ${address} was refused: ${why}`,
    });
  });
}

/** Counts in one row that all replicas wait for, and gives what the window before came to when this one begins. */
async function countRefusal(
  tx: Tx,
  { way, nowMs }: { way: Way; nowMs: number },
): Promise<{ count: number; before: { count: number; fromMs: number } | null }> {
  const key = `refused sign-ins by ${way}`;
  await tx.rateLimit.createMany({
    data: [{ id: key, key, count: 0, lastRequest: BigInt(nowMs) }],
    skipDuplicates: true,
  });
  const [row] = await tx.$queryRaw<{ count: number; from: bigint }[]>`
    SELECT count, last_request AS from FROM rate_limit WHERE key = ${key} FOR UPDATE`;
  const fromMs = Number(row?.from ?? nowMs);
  const isOver = fromMs <= nowMs - LISTED_WINDOW_MS;
  const count = isOver ? 1 : (row?.count ?? 0) + 1;
  await tx.rateLimit.update({
    where: { key },
    data: { count, ...(isOver && { lastRequest: BigInt(nowMs) }) },
  });
  return { count, before: isOver ? { count: row?.count ?? 0, fromMs } : null };
}

export async function hasSignedInFrom(
  { db, clock }: Pick<Control, "db" | "clock">,
  { userId, address }: { userId: string; address: string },
): Promise<boolean> {
  const row = await db.audit.findFirst({
    where: {
      kind: "session",
      objectId: userId,
      action: "session.sign-in",
      at: { gte: new Date(clock.nowMs() - HOME_MS) },
      details: { path: ["address"], equals: address },
    },
    select: { id: true },
  });
  return row !== null;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
