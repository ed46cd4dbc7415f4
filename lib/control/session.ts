import type { Actor, Role } from "./context";

/** Who is signed in. */
export type Session = {
  user: { id: string; name: string; email: string; role: Role };
  expiresAt: Date;
};

/** A cookie for the answer, in the shape that Next's `cookies().set(...)` takes. */
export type SetCookie = {
  name: string;
  value: string;
  path: string;
  httpOnly: boolean;
  secure: boolean;
  sameSite: "lax" | "strict" | "none";
  /** Seconds; 0 removes the cookie. */
  maxAge?: number;
};

export function sessionActor({ user }: Session): Actor {
  return { type: "user", id: user.id, name: user.name, role: user.role };
}
