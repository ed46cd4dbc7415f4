import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { createDirectoryIndex } from "../agent/directory-index";
import { createKeyLookup } from "../agent/key-lookup";
import { parseIp } from "../core/ip";
import { SettingsSchema } from "../core/ruleset";
import { deriveKeys, keyedHash } from "../core/secrets";
import { directoryOf, TEST_SECRETS } from "../testing/gateway";
import { identify } from "./identify";

const K1 = "hg_live_K1example";
const K2 = "hg_live_K2example";
const directory = directoryOf("test", {
  [K1]: { id: "k1", customer: "acme", plan: "paid" },
  [K2]: { id: "k2", customer: "bolt", plan: "free" },
});

function who(headers: IncomingHttpHeaders, { isComplete = true } = {}) {
  const address = parseIp("198.51.100.9");
  if (address === null) throw new Error("an address is needed");
  const index = createDirectoryIndex(isComplete ? directory : undefined);
  const lookUpKey = createKeyLookup(deriveKeys(TEST_SECRETS, "api-key"), {
    index: () => index,
    isComplete: () => isComplete,
  });
  const settings = SettingsSchema.parse({ incompleteDirectoryPlan: "free" });
  const { identity, isUnknownKey } = identify({ headers, address, settings, lookUpKey });
  const { client, customer, plan, authenticated } = identity;
  return { client, customer, plan, authenticated, isUnknownKey };
}

const k1 = {
  client: "key:k1",
  customer: "acme",
  plan: "paid",
  authenticated: true,
  isUnknownKey: false,
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
    ["the key in another case", { authorization: `Bearer ${K1.toLowerCase()}` }, true],
    ["an unknown key", { "x-api-key": "random" }, true],
    ["a key longer than any", { "x-api-key": "x".repeat(9_000) }, true],
    ["Bearer alone", { authorization: "Bearer" }, false],
    ["Bearer and blanks", { authorization: "Bearer   " }, false],
    ["Basic", { authorization: `Basic ${K1}` }, false],
    ["no credential", {}, false],
    ["__proto__", { "x-api-key": "__proto__" }, true],
  ])("%s is nobody's", (_name, headers, isUnknownKey) => {
    expect(who(headers)).toEqual({ ...nobody, isUnknownKey });
  });
});

describe("while the directory is not here", () => {
  test("a key is a client of its own under the configured plan, never anonymous", () => {
    const one = who({ "x-api-key": K1 }, { isComplete: false });
    expect(one).toMatchObject({ plan: "free", authenticated: true, isUnknownKey: false });
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
      index: () => createDirectoryIndex(directory),
      isComplete: () => true,
    },
  );
  expect(lookUpKey(K1)).toMatchObject({ state: "known", client: "key:k1" });
});
