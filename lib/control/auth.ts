import type { Database } from "@/lib/db/client";
import { type OidcSettings, SSO_PROVIDER } from "./oidc-settings";
import { ownOrigins } from "./origins";

type Options = {
  db: Database;
  publicUrl: string;
  secret: string;
  environment: string;
  /** Whether a session may begin, by whatever way; writes down that it does. */
  admitSession(session: { userId: string; headers: Headers }): Promise<boolean>;
  /** With it only single sign-on is served: who is signed in is asked of the other one. */
  sso?: { settings: OidcSettings; admit(claims: Record<string, unknown>): Promise<string | null> };
};

const SESSION_SECONDS = 7 * 86_400;
/** A session in use is prolonged at most once in this time. */
const PROLONG_SECONDS = 86_400;

/**
 * Passwords, sessions and their cookies. Nobody signs up: users are made by an admin. Loaded when first needed, also
 * in a bundle, where a static import would load it at every start: it takes about a second, and the worker needs none.
 */
export async function createAuth(options: Options) {
  const { db, publicUrl, secret, environment, admitSession, sso } = options;
  const { betterAuth } = await import("better-auth");
  const { prismaAdapter } = await import("better-auth/adapters/prisma");
  return betterAuth({
    appName: "Headgate",
    baseURL: new URL(publicUrl).origin,
    basePath: "/api/auth",
    trustedOrigins: ownOrigins(publicUrl),
    secret,
    database: prismaAdapter(db, { provider: "postgresql" }),
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 8 },
    user: {
      additionalFields: {
        role: { type: "string", required: false, input: false },
        banned: { type: "boolean", required: false, input: false },
      },
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: PROLONG_SECONDS },
    databaseHooks: {
      session: {
        create: {
          before: ({ userId }, context) =>
            admitSession({ userId, headers: context?.request?.headers ?? new Headers() }),
        },
      },
    },
    // Attempts are counted before it is asked: by windows that end, whoever goes on trying.
    rateLimit: { enabled: false },
    advanced: {
      useSecureCookies: publicUrl.startsWith("https://"),
      cookiePrefix: `headgate-${environment}`,
      ipAddress: {
        ipAddressHeaders: ["x-forwarded-for"],
        trustedProxies: ["127.0.0.0/8", "::1/128"],
      },
    },
    // Accounts are ours to write, with their audit rows; the issuer's tokens are not kept.
    account: { updateAccountOnSignIn: false, accountLinking: { enabled: false } },
    plugins: sso === undefined ? [] : [await ssoPlugin(sso)],
    telemetry: { enabled: false },
    logger: { disabled: true },
  });
}

async function ssoPlugin({ settings, admit }: NonNullable<Options["sso"]>) {
  const { genericOAuth } = await import("better-auth/plugins/generic-oauth");
  const { APIError } = await import("better-auth/api");
  return genericOAuth({
    config: [
      {
        providerId: SSO_PROVIDER,
        discoveryUrl: `${settings.issuer}/.well-known/openid-configuration`,
        requireIdTokenVerification: true,
        clientId: settings.clientId,
        clientSecret: settings.clientSecret,
        scopes: ["openid", "email", "profile"],
        disableSignUp: true,
        mapProfileToUser: async (claims) => {
          const refused = await admit(claims);
          if (refused !== null) throw new APIError("FORBIDDEN", { code: refused });
          return {};
        },
      },
    ],
  });
}

export type Auth = Awaited<ReturnType<typeof createAuth>>;
