import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { createClientLookup } from "../agent/client-lookup";
import { createKeyLookup } from "../agent/key-lookup";
import { parseIp } from "../core/ip";
import { SettingsSchema } from "../core/ruleset";
import { deriveKeys, keyedHash } from "../core/secrets";
import { indexOf } from "../testing/directory";
import { directoryOf, TEST_SECRETS } from "../testing/gateway";
import { identify } from "./identify";

const K1 = "hg_live_K1example";
const K2 = "hg_live_K2example";
const directory = directoryOf("test", {
  [K1]: { id: "k1", customer: "acme", plan: "paid" },
  [K2]: { id: "k2", customer: "bolt", plan: "free" },
});

type Asked = { isComplete?: boolean; identity?: object };

function who(headers: IncomingHttpHeaders, { isComplete = true, identity: read = {} }: Asked = {}) {
  const address = parseIp("198.51.100.9");
  if (address === null) throw new Error("an address is needed");
  const index = indexOf(isComplete ? directory : undefined);
  const source = { index: () => index, isComplete: () => isComplete };
  const settings = SettingsSchema.parse({ incompleteDirectoryPlan: "free", identity: read });
  const { identity, unknown } = identify({
    headers,
    address,
    settings,
    lookUpKey: createKeyLookup(deriveKeys(TEST_SECRETS, "api-key"), source),
    lookUpClient: createClientLookup(source),
  });
  const { client, customer, plan, authenticated } = identity;
  return { client, customer, plan, authenticated, unknown };
}

const k1 = {
  client: "key:k1",
  customer: "acme",
  plan: "paid",
  authenticated: true,
  unknown: null,
};
const nobody = {
  client: "ip:198.51.100.9",
  customer: null,
  plan: "anonymous",
  authenticated: false,
};

describe("C4: which credential names the client", () => {
  test.each([
    ["X-API-Key", { "x-api-key": K1 }],
    ["bearer, any case of the scheme", { authorization: `bearer ${K1}` }],
    ["two blanks", { authorization: `BEARER  ${K1}` }],
    ["blanks at the end", { authorization: `Bearer ${K1} \t` }],
    ["an unknown X-API-Key beside it", { authorization: `Bearer ${K1}`, "x-api-key": "random-7" }],
    ["an unknown bearer beside it", { "x-api-key": K1, authorization: "Bearer random-7" }],
    ["an empty X-API-Key", { "x-api-key": "", authorization: `Bearer ${K1}` }],
    ["both known: X-API-Key", { "x-api-key": K1, authorization: `Bearer ${K2}` }],
  ])("%s", (_name, headers) => {
    expect(who(headers)).toEqual(k1);
  });

  test.each([
    ["the key in another case", { authorization: `Bearer ${K1.toLowerCase()}` }, "key"],
    ["an unknown key", { "x-api-key": "random" }, "key"],
    ["a key longer than any", { "x-api-key": "x".repeat(9_000) }, "key"],
    ["Bearer alone", { authorization: "Bearer" }, null],
    ["Bearer and blanks", { authorization: "Bearer   " }, null],
    ["Basic", { authorization: `Basic ${K1}` }, null],
    ["no credential", {}, null],
    ["bytes that are no ASCII", { "x-api-key": "k\u00c3\u00a9" }, "key"],
    ["two lines of it", { "x-api-key": `${K1}, ${K1}` }, "key"],
    ["a word before it", { authorization: `Token Bearer ${K1}` }, null],
    ["__proto__", { "x-api-key": "__proto__" }, "key"],
  ])("%s is nobody's", (_name, headers, unknown) => {
    expect(who(headers)).toEqual({ ...nobody, unknown });
  });
});

describe("headers that the settings name", () => {
  const mine = { identity: { keyHeaders: ["authorization", "x-app-key", "constructor"] } };

  test.each([
    ["one of them", { "x-app-key": ` ${K1}\t` }, k1],
    ["the first known one", { authorization: `Bearer ${K1}`, "x-app-key": K2 }, k1],
    ["a later one beside an unknown", { authorization: "Bearer x", "x-app-key": K1 }, k1],
    ["one that they do not name", { "x-api-key": K1 }, { ...nobody, unknown: null }],
    [
      "a bearer token where none belongs",
      { "x-app-key": `Bearer ${K1}` },
      { ...nobody, unknown: "key" },
    ],
  ])("%s", (_name, headers, expected) => {
    expect(who(headers, mine)).toEqual(expected);
  });

  test("none: no header holds a key", () => {
    const headers = { "x-api-key": K1, authorization: `Bearer ${K1}` };
    expect(who(headers, { identity: { keyHeaders: [] } })).toEqual({ ...nobody, unknown: null });
  });
});

describe("a trusted header", () => {
  const trusted = { identity: { trustedHeader: "x-client" } };
  const acme = { ...k1, client: "customer:acme" };
  const byAddress = { ...nobody, unknown: "trusted-header" };

  test.each([
    ["a key's id", { "x-client": "key:k1" }, k1],
    ["a customer", { "x-client": " customer:acme " }, acme],
    ["a customer's bare id", { "x-client": "acme" }, acme],
    ["beats a key", { "x-client": "acme", "x-api-key": K2 }, acme],
    ["unknown: a known key beside it", { "x-client": "nobody", "x-api-key": K1 }, k1],
    ["unknown: the address", { "x-client": "key:nobody" }, byAddress],
    ["a key's own text is no id", { "x-client": K1 }, byAddress],
    ["an address is no client", { "x-client": "ip:203.0.113.7" }, byAddress],
    ["two lines are no id", { "x-client": "acme, bolt" }, byAddress],
    ["8 KB", { "x-client": "a".repeat(8_192) }, byAddress],
    ["__proto__", { "x-client": "__proto__" }, byAddress],
    ["empty is absent", { "x-client": "", "x-api-key": K1 }, k1],
    ["blank is absent", { "x-client": "  " }, { ...nobody, unknown: null }],
    ["absent", { "x-api-key": K1 }, k1],
  ])("%s", (_name, headers, expected) => {
    expect(who(headers, trusted)).toEqual(expected);
  });

  test("is taken at its word while the directory is not here, under the configured plan", () => {
    const asked = { ...trusted, isComplete: false };
    expect(who({ "x-client": "key:k1", "x-api-key": K2 }, asked)).toEqual({
      ...k1,
      customer: "k1",
      plan: "free",
    });
    expect(who({ "x-client": "acme" }, asked)).toEqual({ ...acme, plan: "free" });
  });
});

describe("while the directory is not here", () => {
  test("a key is a client of its own under the configured plan, never anonymous", () => {
    const one = who({ "x-api-key": K1 }, { isComplete: false });
    expect(one).toMatchObject({ plan: "free", authenticated: true, unknown: null });
    expect(one.client).toMatch(/^key:unknown-[0-9a-f]{12}$/);
    expect(one.customer).toBe(one.client.slice("key:".length));
    expect(who({ "x-api-key": K1 }, { isComplete: false })).toEqual(one);
    expect(who({ "x-api-key": K2 }, { isComplete: false }).client).not.toBe(one.client);
  });

  test("its name is not its keyed hash, which the directory is found by", () => {
    const [secret] = deriveKeys(TEST_SECRETS, "api-key");
    const { client } = who({ "x-api-key": K1 }, { isComplete: false });
    expect(keyedHash(K1, secret)).not.toContain(client.slice("key:unknown-".length));
  });
});

test("a key that was hashed under an older root secret is found", () => {
  const lookUpKey = createKeyLookup(
    deriveKeys(["a-newer-root-secret", ...TEST_SECRETS], "api-key"),
    {
      index: () => indexOf(directory),
      isComplete: () => true,
    },
  );
  expect(lookUpKey(K1)).toMatchObject({ state: "known", client: "key:k1" });
});
