import type { z } from "zod";
import type { Role } from "../core/access";
import type { FieldError } from "../core/errors";
import type { Environment } from "./read";
import { variables as v } from "./variables";

export type OidcConfig = {
  /** Without a slash at the end. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** On the button. */
  name: string;
  /** Which claim decides the role at each sign-in, and how; without it only a new person's is set. */
  claim?: string;
  roles: readonly { value: string; role: Role }[];
  /** Of who has none of these values; null refuses them. */
  defaultRole: Role | null;
};

export const oidcShape = {
  HEADGATE_OIDC_ISSUER: v.HEADGATE_OIDC_ISSUER.optional(),
  HEADGATE_OIDC_CLIENT_ID: v.HEADGATE_OIDC_CLIENT_ID.optional(),
  HEADGATE_OIDC_CLIENT_SECRET: v.HEADGATE_OIDC_CLIENT_SECRET.optional(),
  HEADGATE_OIDC_NAME: v.HEADGATE_OIDC_NAME.default("Single sign-on"),
  HEADGATE_OIDC_ROLE_CLAIM: v.HEADGATE_OIDC_ROLE_CLAIM.optional(),
  HEADGATE_OIDC_ROLES: v.HEADGATE_OIDC_ROLES.optional(),
  HEADGATE_OIDC_DEFAULT_ROLE: v.HEADGATE_OIDC_DEFAULT_ROLE.default("viewer"),
};

const TOGETHER = [
  "HEADGATE_OIDC_ISSUER",
  "HEADGATE_OIDC_CLIENT_ID",
  "HEADGATE_OIDC_CLIENT_SECRET",
] as const;

/** What is set without what it needs. */
export function oidcProblems(env: Environment): FieldError[] {
  const absent = TOGETHER.filter((name) => !env[name]);
  const problems =
    absent.length === 0 || absent.length === TOGETHER.length
      ? []
      : absent.map((path) => ({
          path,
          message: `must be set with ${TOGETHER.filter((name) => env[name]).join(" and ")}`,
        }));
  const pair = ["HEADGATE_OIDC_ROLE_CLAIM", "HEADGATE_OIDC_ROLES"] as const;
  const missing = pair.filter((path) => !env[path]);
  const [path] = missing;
  if (path === undefined || missing.length !== 1) return problems;
  return [...problems, { path, message: `must be set with ${pair.find((name) => name !== path)}` }];
}

export function oidcOf(values: z.output<z.ZodObject<typeof oidcShape>>): { oidc?: OidcConfig } {
  const { HEADGATE_OIDC_ISSUER, HEADGATE_OIDC_CLIENT_ID, HEADGATE_OIDC_CLIENT_SECRET } = values;
  if (!HEADGATE_OIDC_ISSUER || !HEADGATE_OIDC_CLIENT_ID || !HEADGATE_OIDC_CLIENT_SECRET) return {};
  const role = values.HEADGATE_OIDC_DEFAULT_ROLE;
  return {
    oidc: {
      issuer: HEADGATE_OIDC_ISSUER,
      clientId: HEADGATE_OIDC_CLIENT_ID,
      clientSecret: HEADGATE_OIDC_CLIENT_SECRET,
      name: values.HEADGATE_OIDC_NAME,
      ...(values.HEADGATE_OIDC_ROLE_CLAIM && { claim: values.HEADGATE_OIDC_ROLE_CLAIM }),
      roles: values.HEADGATE_OIDC_ROLES ?? [],
      defaultRole: role === "none" ? null : role,
    },
  };
}
