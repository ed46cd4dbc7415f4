import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** What the issuer says of who signs in under this name; the password is not looked at. */
export type OidcPerson = {
  email: string;
  email_verified: boolean;
  name?: string;
  groups?: string | string[];
};

type Options = {
  /** Where it may send browsers; can be said later by `allow`. */
  redirectUri?: string;
  people: Record<string, OidcPerson>;
  /** The claims in the ID token, or only at the userinfo address. */
  claimsIn?: "id_token" | "userinfo";
};

export type OidcServer = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** To change while it runs. */
  people: Record<string, OidcPerson>;
  /** Sends browsers there from now on. */
  allow(redirectUri: string): void;
  close(): Promise<void>;
};

/** A real OpenID Connect server with its own login and consent pages. */
export async function startOidcServer({
  redirectUri,
  people,
  claimsIn = "id_token",
}: Options): Promise<OidcServer> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { clientId: "headgate", clientSecret: "a-secret-of-tests-at-the-issuer" };
  const allow = (uri: string) => {
    server.removeAllListeners("request").on("request", providerFor(uri).callback());
  };
  const providerFor = (uri: string) =>
    new Provider(issuer, {
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uris: [uri],
        },
      ],
      cookies: { keys: ["for tests only"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
      conformIdTokenClaims: claimsIn === "userinfo",
      findAccount: (_ctx, id) => {
        const person = people[id];
        if (person === undefined) return undefined;
        return { accountId: id, claims: () => ({ sub: id, ...person }) };
      },
    });
  if (redirectUri !== undefined) allow(redirectUri);
  return {
    issuer,
    ...client,
    people,
    allow,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Goes through its pages as a browser would, and gives the address that it sends the browser back to. */
export async function signInAtIssuer(start: string, login: string): Promise<URL> {
  const jar = new Map<string, string>();
  let address = new URL(start);
  const { origin } = address;
  let body: URLSearchParams | undefined;
  for (let step = 0; step < 12; step += 1) {
    const response: Response = await fetch(address, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(body === undefined ? {} : { method: "POST", body }),
    });
    body = undefined;
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) {
      address = new URL(location, address);
      if (address.origin !== origin) return address;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (prompt === undefined || action === undefined)
      throw new Error(`the issuer answered ${response.status}: ${page.slice(0, 500)}`);
    address = new URL(action, address);
    body = new URLSearchParams({ prompt, ...(prompt === "login" && { login, password: "any" }) });
  }
  throw new Error("the issuer never sent the browser back");
}
