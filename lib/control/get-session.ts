import type { Control } from "./context";
import { roleOf, type Session } from "./session";

/** Who the cookie of these headers belongs to; null when nobody is signed in. */
export async function getSession(
  control: Control,
  { headers }: { headers: Headers },
): Promise<Session | null> {
  const auth = await control.auth();
  const found = await auth.api.getSession({ headers });
  if (found === null || found.user.banned === true) return null;
  const { id, name, email, role } = found.user;
  return {
    id: found.session.id,
    user: { id, name, email, role: roleOf(role) },
    expiresAt: new Date(found.session.expiresAt),
  };
}
