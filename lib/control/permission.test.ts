import { expect, test } from "vitest";
import { type Actor, ROLES, SYSTEM } from "./context";
import { can, type Permission, refusalsOf, requirePermission } from "./permission";

const PERMISSIONS: Permission[] = [
  "read",
  "draft",
  "operate",
  "publish",
  "keys",
  "tokens",
  "fleet",
];

function rights(actor: Actor): string {
  return PERMISSIONS.filter((permission) => can(actor, permission)).join(" ");
}

test("each role may what the one below may, and more", () => {
  const byRole = ROLES.map((role) => rights({ type: "user", id: "u", name: "U", role }));
  expect(byRole).toEqual([
    "read",
    "read draft operate",
    "read draft operate publish keys",
    "read draft operate publish keys tokens fleet",
  ]);
});

test("an admin token may all, a gateway's only what gateways call", () => {
  const token = { type: "token", id: "t", name: "T" } as const;
  expect(rights({ ...token, scope: "admin" })).toBe(PERMISSIONS.join(" "));
  expect(rights({ ...token, scope: "gateway" })).toBe("fleet");
  expect(rights(SYSTEM)).toBe(PERMISSIONS.join(" "));
});

test("a page is told of exactly what a verb would refuse, in the same words", () => {
  for (const role of ROLES) {
    const actor = { type: "user", id: "u", name: "Dana", role } as const;
    const refusals = refusalsOf({ actor });
    for (const permission of PERMISSIONS) {
      const words = refusals[permission];
      const verb = () => requirePermission({ actor }, permission);
      if (words === undefined) verb();
      else expect(verb).toThrow(words);
    }
  }
});
