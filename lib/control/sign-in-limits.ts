import { AppError } from "@/lib/core/errors";
import { countAttempt, forgetAttempts } from "@/lib/db/attempts";
import type { Control } from "./context";
import { hasSignedInFrom } from "./sign-in-audit";

const WINDOW_MS = 60_000;
/** Wrong passwords for one account in a minute. */
export const ATTEMPTS_MAX = 10;
/** Attempts of one address in a minute, whoever they are for: an office has one address. */
export const ADDRESS_ATTEMPTS_MAX = 30;

export type Counted =
  | { ok: true; forget(): Promise<void> }
  | { ok: false; error: AppError; isFirst: boolean };

/** Counts an attempt of this address, over all replicas. Windows are of a minute and end, whatever comes meanwhile. */
export async function countByAddress(control: Control, address: string): Promise<Counted> {
  return count(control, `sign-in from ${address}`, ADDRESS_ATTEMPTS_MAX);
}

type Account = { email: string; userId: string | null; address: string };

/**
 * Counts an attempt for this account. Where somebody signed in before they have a count of their own: strangers who guess
 * at an account lock out each other, not its owner.
 */
export async function countByAccount(
  control: Control,
  { email, userId, address }: Account,
): Promise<Counted> {
  const isAtHome = userId !== null && (await hasSignedInFrom(control, { userId, address }));
  return count(control, `sign-in ${email}${isAtHome ? ` from ${address}` : ""}`, ATTEMPTS_MAX);
}

/** Counts an attempt to say one's own present password. */
export async function countByPerson(control: Control, userId: string): Promise<Counted> {
  return count(control, `password ${userId}`, ATTEMPTS_MAX);
}

async function count({ db, clock }: Control, key: string, max: number): Promise<Counted> {
  const nowMs = clock.nowMs();
  const { count, endsMs } = await countAttempt(db, { key, windowMs: WINDOW_MS, nowMs });
  if (count <= max) return { ok: true, forget: () => forgetAttempts(db, key) };
  return { ok: false, error: tooMany((endsMs - nowMs) / 1000), isFirst: count === max + 1 };
}

function tooMany(seconds: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds));
  return new AppError(
    "unavailable",
    `too many sign-in attempts: try again in ${retryAfterSeconds} s`,
    { details: { retryAfterSeconds } },
  );
}
