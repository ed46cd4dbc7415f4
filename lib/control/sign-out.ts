import { AppError } from "@/lib/core/errors";
import type { Control } from "./context";
import { requireOwnOrigin } from "./origins";
import { parseSetCookies, type SetCookie } from "./set-cookie";

/** Ends the session of these headers' cookie, if there is one; the caller sets the cookies, which remove it. */
export async function signOut(
  control: Control,
  { headers }: { headers: Headers },
): Promise<{ cookies: SetCookie[] }> {
  requireOwnOrigin(headers, control.config.publicUrl);
  const auth = await control.auth();
  const response = await auth.api.signOut({ headers, asResponse: true });
  if (!response.ok)
    throw new AppError("unavailable", "signing out does not work at the moment: try again");
  return { cookies: parseSetCookies(response.headers) };
}
