import type { Role } from "@/lib/core/access";
import { AppError } from "@/lib/core/errors";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { Actor, Control } from "./context";
import { type OidcSettings, SSO_PROVIDER } from "./oidc-settings";
import { requireOtherAdmin, type StoredUser } from "./person";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { roleOf } from "./session";

/** Actor of what the issuer's word changes. */
const SSO: Actor = { type: "system", id: "sso", name: "Single sign-on" };

export const SSO_REFUSALS = ["email_not_verified", "no_role", "disabled"] as const;
type Refusal = (typeof SSO_REFUSALS)[number];

type Person = { email: string; name: string; accountId: string };

/**
 * Makes, links or updates who the issuer vouches for, with audit, before better-auth opens the session: it finds the
 * account and writes nothing itself. Known by the issuer's subject; a verified address links an account that is here
 * already. Null: come in; else why not.
 */
export async function admitBySso(
  { db, log }: Pick<Control, "db" | "log">,
  oidc: OidcSettings,
  claims: Record<string, unknown>,
): Promise<Refusal | null> {
  const accountId = String(claims.sub ?? "");
  const email = String(claims.email ?? "").toLowerCase();
  const name = String(claims.name ?? email.split("@")[0] ?? email).slice(0, 120);
  const role = roleFor(oidc, claims);
  const isVerified = claims.email_verified === true || claims.emailVerified === true;
  return inTransaction(db, async (tx) => {
    const account = await tx.account.findFirst({
      where: { providerId: SSO_PROVIDER, accountId },
      include: { user: true },
    });
    if (account === null && !isVerified) return "email_not_verified";
    const user = account?.user ?? (await tx.user.findUnique({ where: { email } }));
    if (role === null && (user === null || oidc.claim !== undefined)) return "no_role";
    if (user?.banned) return "disabled";
    if (user === null) {
      await create(tx, { email, name, accountId }, role ?? "viewer");
      return null;
    }
    if (account === null) await link(tx, user, accountId);
    if (oidc.claim !== undefined && role !== null && role !== user.role)
      await changeRole(tx, user, role).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== "conflict") throw error;
        log.warn({ user: user.id, role }, "single sign-on does not demote the last admin");
      });
    return null;
  });
}

/** Of the configured values, the first that the claim has: text, or a list of texts. */
export function roleFor(
  { claim, roles, defaultRole }: Pick<OidcSettings, "claim" | "roles" | "defaultRole">,
  claims: Record<string, unknown>,
): Role | null {
  if (claim === undefined) return defaultRole;
  const held: unknown = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values: unknown[] = Array.isArray(held) ? held : [held];
  return roles.find(({ value }) => values.includes(value))?.role ?? defaultRole;
}

async function create(tx: Tx, { email, name, accountId }: Person, role: Role): Promise<void> {
  const id = randomId();
  await tx.user.create({ data: { id, email, name, emailVerified: true, role } });
  await writeAccount(tx, id, accountId);
  await recordAudit(
    tx,
    { type: "user", id, name, role },
    {
      action: "user.join",
      kind: "user",
      objectId: id,
      sentence: `${name} (${email}) joined as ${role}, by single sign-on`,
      after: { email, name, role },
    },
  );
}

async function link(tx: Tx, { id, name, email, role }: StoredUser, accountId: string) {
  await writeAccount(tx, id, accountId);
  await recordAudit(
    tx,
    { type: "user", id, name, role: roleOf(role) },
    {
      action: "user.link",
      kind: "user",
      objectId: id,
      sentence: `${name} (${email}) signed in by single sign-on for the first time`,
    },
  );
}

async function changeRole(tx: Tx, user: StoredUser, role: Role): Promise<void> {
  if (user.role === "admin") await requireOtherAdmin(tx, user);
  await tx.user.update({ where: { id: user.id }, data: { role } });
  await recordAudit(tx, SSO, {
    action: "user.role",
    kind: "user",
    objectId: user.id,
    sentence: `${SSO.name} gave ${user.email} the role ${role}, it was ${user.role}`,
    before: { role: user.role },
    after: { role },
  });
}

/** Without the issuer's tokens: nothing here calls it on somebody's behalf. */
async function writeAccount(tx: Tx, userId: string, accountId: string): Promise<void> {
  await tx.account.create({
    data: { id: randomId(), accountId, providerId: SSO_PROVIDER, userId },
  });
}
