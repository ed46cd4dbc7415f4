import { expect, test } from "vitest";
import { createDirectoryIndex } from "../agent/directory-index";
import { ManualClock } from "../clock";
import type { ClientId } from "../core/client-id";
import { ipClientId, parseIp } from "../core/ip";
import { overridesOf } from "./overrides-of";

const clock = new ManualClock(1_000);
const ip = addressOf("2001:db8::7");
const ipClient = ipClientId(ip, 64);
const withKey = { client: "key:k1", customer: "acme", authenticated: true } as const;
const keyless = { client: ipClient, customer: null, authenticated: false } as const;

function addressOf(text: string) {
  const address = parseIp(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

function directoryOf(...clients: ClientId[]) {
  const directory = createDirectoryIndex();
  for (const [i, client] of clients.entries()) {
    const limit = { concurrent: i + 1 };
    directory.apply({
      type: "override",
      id: `o${i}`,
      client,
      rule: "r",
      limit,
      expiresAtMs: 2_000,
    });
  }
  return directory;
}

function found(directory: ReturnType<typeof directoryOf>, who: typeof withKey | typeof keyless) {
  const identity = { ...who, plan: "free", ip, ipClient };
  const { override } = overridesOf(directory, identity, clock, () => {});
  return (["key", "customer", "ip"] as const).map((subject) => override("r", subject));
}

test("a request finds those of its key, its customer and its address, each under its own name", () => {
  const directory = directoryOf("key:k1", "customer:acme", "ip:2001:db8::/64", "key:k2");
  expect(found(directory, withKey)).toEqual([
    { concurrent: 1 },
    { concurrent: 2 },
    { concurrent: 3 },
  ]);
  expect(found(directory, keyless)).toEqual([null, null, { concurrent: 3 }]);
});

test("without one of its own it finds none, and each ends by the clock", () => {
  expect(found(directoryOf("key:k2", "customer:other"), withKey)).toEqual([null, null, null]);
  const directory = directoryOf("customer:acme");
  expect(found(directory, withKey)).toEqual([null, { concurrent: 1 }, null]);
  clock.advance(1_000);
  expect(found(directory, withKey)).toEqual([null, null, null]);
});
