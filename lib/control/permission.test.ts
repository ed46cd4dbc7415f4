import { expect, test } from "vitest";
import { PERMISSIONS, ROLES, type TOKEN_SCOPES } from "../core/access";
import { type Actor, SYSTEM } from "./context";
import { can, refusalsOf, requirePermission } from "./permission";

function rights(actor: Actor): string {
  return PERMISSIONS.filter((permission) => can(actor, permission)).join(" ");
}

test("each role may what its work needs, and only an admin may all", () => {
  const byRole = ROLES.map((role) => [role, rights({ type: "user", id: "u", name: "U", role })]);
  expect(Object.fromEntries(byRole)).toEqual({
    viewer: "read",
    support: "read reset raise",
    responder: "read reset raise relax rollback operate",
    editor: "read operate draft",
    publisher: "read reset raise relax rollback operate draft publish keys",
    admin: PERMISSIONS.join(" "),
  });
});

test("a token's scopes are single rights, all for admin, and only what gateways call for gateway", () => {
  const of = (scope: (typeof TOKEN_SCOPES)[number]) =>
    rights({ type: "token", id: "t", name: "T", scopes: [scope] });
  expect(of("admin")).toBe(PERMISSIONS.join(" "));
  expect(of("gateway")).toBe("fleet");
  expect(of("publish")).toBe("relax rollback publish");
  expect(of("keys")).toBe("raise keys");
  for (const scope of ["read", "draft", "rollback", "people"] as const)
    expect(of(scope)).toBe(scope);
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
  const actor = { type: "user", id: "u", name: "Dana", role: "viewer" } as const;
  expect(refusalsOf({ actor }).rollback).toBe(
    "Dana (role viewer) may not roll back: that takes role responder, publisher or admin, or a token of scope rollback",
  );
});
