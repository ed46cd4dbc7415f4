import { startOidcServer } from "../lib/testing/oidc-server";
import { startStack } from "../lib/testing/stack";
import { STACK_VARIABLE, type StackAddresses } from "./stack";

/** One stack for the whole browser run; specs read its addresses from the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  // The browser shares the machine's cores: a check that is late for want of them would be decided locally.
  const issuer = await startOidcServer({
    people: { eve: { email: "eve@issuer.test", email_verified: true, name: "Eve of the issuer" } },
  });
  const stack = await startStack({
    env: {
      HEADGATE_CHECK_DEADLINE_MS: "100",
      HEADGATE_OIDC_ISSUER: issuer.issuer,
      HEADGATE_OIDC_CLIENT_ID: issuer.clientId,
      HEADGATE_OIDC_CLIENT_SECRET: issuer.clientSecret,
      HEADGATE_OIDC_NAME: "Company account",
    },
  });
  issuer.allow(`${stack.consoleUrl}/api/auth/callback/oidc`);
  const addresses: StackAddresses = {
    consoleUrl: stack.consoleUrl,
    upstreamUrl: stack.upstreamUrl,
    gateways: stack.gateways.map(({ url, adminUrl }) => ({ url, adminUrl })),
    admin: stack.admin,
    bootstrapToken: stack.bootstrapToken,
    databaseUrl: stack.databaseUrl,
    redisPid: stack.redis.pid,
  };
  process.env[STACK_VARIABLE] = JSON.stringify(addresses);
  return async () => {
    await stack.stop();
    await issuer.close();
  };
}
