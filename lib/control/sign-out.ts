import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import type { Control } from "./context";
import { getSession } from "./get-session";
import { requireOwnOrigin } from "./origins";
import { parseSetCookies, type SetCookie } from "./set-cookie";
import { recordSignOut } from "./sign-in-audit";

/** Ends the session of these headers' cookie, if there is one; the caller sets the cookies, which remove it. */
export async function signOut(
  control: Control,
  { headers }: { headers: Headers },
): Promise<{ cookies: SetCookie[] }> {
  requireOwnOrigin(headers, control.config.publicUrl);
  const session = await getSession(control, { headers });
  if (session !== null)
    await inTransaction(control.db, async (tx) => {
      const { count } = await tx.session.deleteMany({ where: { id: session.id } });
      if (count > 0) await recordSignOut(tx, session.user);
    });
  const auth = await control.auth();
  const response = await auth.api.signOut({ headers, asResponse: true });
  if (!response.ok)
    throw new AppError("unavailable", "signing out does not work at the moment: try again");
  return { cookies: parseSetCookies(response.headers) };
}
