import { AppError } from "@/lib/core/errors";
import type { Actor, Role } from "./context";

const PERMISSIONS = ["read", "draft", "publish", "keys", "operate", "tokens", "fleet"] as const;

/**
 * read: everything people look at. draft: own edits. publish: what changes the fleet's rules, and roll back.
 * keys: API keys and customers. operate: gateways and alerts. tokens: who may call the API. fleet: what gateways call.
 */
export type Permission = (typeof PERMISSIONS)[number];

const BY_ROLE: Record<Role, readonly Permission[]> = {
  viewer: ["read"],
  editor: ["read", "draft", "operate"],
  publisher: ["read", "draft", "operate", "publish", "keys"],
  admin: ["read", "draft", "operate", "publish", "keys", "tokens", "fleet"],
};

const WORDS: Record<Permission, string> = {
  read: "read the configuration",
  draft: "edit drafts",
  publish: "publish, change modes or roll back",
  keys: "manage API keys",
  operate: "manage gateways and alerts",
  tokens: "manage API tokens",
  fleet: "act as a gateway",
};

export function can(actor: Actor, permission: Permission): boolean {
  switch (actor.type) {
    case "system":
      return true;
    case "token":
      return actor.scope === "admin" || permission === "fleet";
    case "user":
      return BY_ROLE[actor.role].includes(permission);
  }
}

/** The one place that refuses an actor. */
export function requirePermission({ actor }: { actor: Actor }, permission: Permission): void {
  if (can(actor, permission)) return;
  throw new AppError("forbidden", refusalWords(actor, permission));
}

/** For pages: what the actor may not do, and why. What it may do is absent. */
export function refusalsOf({ actor }: { actor: Actor }): Partial<Record<Permission, string>> {
  const refused = PERMISSIONS.filter((permission) => !can(actor, permission));
  return Object.fromEntries(
    refused.map((permission) => [permission, refusalWords(actor, permission)]),
  );
}

function refusalWords(actor: Actor, permission: Permission): string {
  const has = actor.type === "user" ? `role ${actor.role}` : `scope ${scopeOf(actor)}`;
  return `${actor.name} (${has}) may not ${WORDS[permission]}: that takes ${needed(permission)}`;
}

function needed(permission: Permission): string {
  if (permission === "fleet") return "a token of scope gateway";
  const lowest = (["viewer", "editor", "publisher", "admin"] as const).find((role) =>
    BY_ROLE[role].includes(permission),
  );
  return `role ${lowest ?? "admin"} or a token of scope admin`;
}

function scopeOf(actor: Actor): string {
  return actor.type === "token" ? actor.scope : "none";
}
