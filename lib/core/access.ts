const FOR_PEOPLE = [
  "read",
  "reset",
  "raise",
  "relax",
  "rollback",
  "operate",
  "draft",
  "publish",
  "keys",
  "tokens",
  "webhooks",
  "people",
] as const;

/**
 * What may be done, each held to at the verb that does it. `read` is everything people look at; `fleet` is what
 * gateways call. Pages, API scopes and roles all speak of these.
 */
export const PERMISSIONS = [...FOR_PEOPLE, "fleet"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ["viewer", "support", "responder", "editor", "publisher", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Of an API token: single permissions, or `admin` for all and `gateway` for what gateways call. */
export const TOKEN_SCOPES = ["admin", "gateway", ...FOR_PEOPLE] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

export const PERMISSION_WORDS: Record<Permission, string> = {
  read: "read the configuration",
  reset: "reset a client's counters",
  raise: "raise a client's limit for up to 24 hours",
  relax: "set a rule to shadow",
  rollback: "roll back",
  operate: "manage gateways and alerts",
  draft: "edit drafts",
  publish: "publish or change modes",
  keys: "manage API keys",
  tokens: "manage API tokens",
  webhooks: "manage webhooks",
  people: "manage people",
  fleet: "act as a gateway",
};

/** An editor's work changes nothing that is live; a responder changes what is live only to what was, or to shadow. */
const BY_ROLE: Record<Role, readonly Permission[]> = {
  viewer: ["read"],
  support: ["read", "reset", "raise"],
  responder: ["read", "reset", "raise", "relax", "rollback", "operate"],
  editor: ["read", "draft", "operate"],
  publisher: ["read", "reset", "raise", "relax", "rollback", "operate", "draft", "publish", "keys"],
  admin: PERMISSIONS,
};

/** What the larger permission of a token brings along, so that nobody has to tick it, too. */
const BRINGS: Partial<Record<Permission, readonly Permission[]>> = {
  publish: ["relax", "rollback"],
  keys: ["raise"],
};

export function permissionsOfRole(role: Role): readonly Permission[] {
  return BY_ROLE[role];
}

export function permissionsOfScopes(scopes: readonly TokenScope[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) =>
    scopes.some((scope) => permissionsOfScope(scope).includes(permission)),
  );
}

/** `role responder, publisher or admin, or a token of scope rollback` */
export function whoMay(permission: Permission): string {
  if (permission === "fleet") return "a token of scope gateway";
  const roles = ROLES.filter((role) => BY_ROLE[role].includes(permission));
  const last = roles.at(-1) ?? "admin";
  const others = roles.slice(0, -1).join(", ");
  return `role ${others === "" ? last : `${others} or ${last}`}, or a token of scope ${permission}`;
}

function permissionsOfScope(scope: TokenScope): readonly Permission[] {
  if (scope === "admin") return PERMISSIONS;
  return scope === "gateway" ? ["fleet"] : [scope, ...(BRINGS[scope] ?? [])];
}
