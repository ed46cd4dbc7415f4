import type { Role } from "@/lib/core/access";

/** The OpenID Connect server whose word is taken for who somebody is. */
export type OidcSettings = {
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

/** better-auth's name of the provider, in the callback's address and in accounts. */
export const SSO_PROVIDER = "oidc";
