import type { AlertKind } from "@/lib/core/alert";
import { tellChange } from "@/lib/db/changes";
import type { Tx } from "@/lib/db/client";

type Resolved = {
  /** One or several kinds of the same subject. */
  kinds: readonly AlertKind[];
  subject: string;
  /** When it was seen to be over; an alert seen later than this stays. */
  atMs: number;
};

/** Ends what is open; harmless when nothing is. How many were ended. */
export async function resolveAlert(
  tx: Pick<Tx, "$executeRaw" | "$queryRaw">,
  { kinds, subject, atMs }: Resolved,
): Promise<number> {
  if (kinds.length === 0) return 0;
  const at = new Date(atMs);
  const ended = await tx.$executeRaw`
    UPDATE alert SET resolved_at = ${at}::timestamptz
    WHERE resolved_at IS NULL AND kind = ANY(${[...kinds]}::text[]) AND subject = ${subject}
      AND last_at <= ${at}::timestamptz`;
  if (ended > 0) await tellChange(tx);
  return ended;
}

/** Ends the open alerts of a kind whose subject is not in `subjects`: the trouble is gone, or what it was about. */
export async function resolveAlertsExcept(
  tx: Pick<Tx, "$executeRaw" | "$queryRaw">,
  { kind, subjects, atMs }: { kind: AlertKind; subjects: readonly string[]; atMs: number },
): Promise<number> {
  const at = new Date(atMs);
  const ended = await tx.$executeRaw`
    UPDATE alert SET resolved_at = ${at}::timestamptz
    WHERE resolved_at IS NULL AND kind = ${kind} AND subject <> ALL(${[...subjects]}::text[])
      AND last_at <= ${at}::timestamptz`;
  if (ended > 0) await tellChange(tx);
  return ended;
}
