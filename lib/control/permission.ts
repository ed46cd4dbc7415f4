import {
  PERMISSION_WORDS,
  PERMISSIONS,
  type Permission,
  permissionsOfRole,
  permissionsOfScopes,
  whoMay,
} from "@/lib/core/access";
import { AppError } from "@/lib/core/errors";
import type { Actor } from "./context";

export function can(actor: Actor, permission: Permission): boolean {
  switch (actor.type) {
    case "system":
      return true;
    case "token":
      return permissionsOfScopes(actor.scopes).includes(permission);
    case "user":
      return permissionsOfRole(actor.role).includes(permission);
  }
}

/** The one place that refuses an actor. */
export function requirePermission({ actor }: { actor: Actor }, permission: Permission): void {
  if (can(actor, permission)) return;
  throw new AppError("forbidden", refusalWords(actor, permission));
}

/** Throws `forbidden` for rights that the actor does not have itself: nobody can hand on more than that. */
export function requireHeld(
  { actor }: { actor: Actor },
  given: readonly Permission[],
  what: string,
): void {
  const beyond = given.filter((permission) => !can(actor, permission));
  if (beyond.length === 0) return;
  throw new AppError(
    "forbidden",
    `${actor.name} (${rankOf(actor)}) may not give ${what}: it goes further than ${actor.name} may (${beyond.join(", ")})`,
  );
}

/** For pages: what the actor may not do, and why. What it may do is absent. */
export function refusalsOf({ actor }: { actor: Actor }): Partial<Record<Permission, string>> {
  const refused = PERMISSIONS.filter((permission) => !can(actor, permission));
  return Object.fromEntries(
    refused.map((permission) => [permission, refusalWords(actor, permission)]),
  );
}

function refusalWords(actor: Actor, permission: Permission): string {
  return `${actor.name} (${rankOf(actor)}) may not ${PERMISSION_WORDS[permission]}: that takes ${whoMay(permission)}`;
}

function rankOf(actor: Actor): string {
  switch (actor.type) {
    case "system":
      return "no scope";
    case "token":
      return `scope ${actor.scopes.join(" ")}`;
    case "user":
      return `role ${actor.role}`;
  }
}
