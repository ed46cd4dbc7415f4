import { ROLES, type Role } from "@/lib/core/access";
import type { Actor } from "./context";

/** Who is signed in. */
export type Session = {
  id: string;
  user: { id: string; name: string; email: string; role: Role };
  expiresAt: Date;
};

export function sessionActor({ user }: Session): Actor {
  return { type: "user", id: user.id, name: user.name, role: user.role };
}

/** A role that this build does not know may do least. */
export function roleOf(text: unknown): Role {
  return ROLES.find((role) => role === text) ?? "viewer";
}
