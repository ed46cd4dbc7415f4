import { expect, test } from "vitest";
import { apiKeyOf, apiKeyPrefix, base62 } from "./api-key";
import { DEMO_KEYS, demoId, demoKey, demoPlan } from "./demo-keys";

test("a key is hg_ and 32 letters, of which people see six", () => {
  const key = apiKeyOf(new Uint8Array(32).fill(255));
  expect(key).toMatch(/^hg_[0-9A-Za-z]{32}$/);
  expect(apiKeyPrefix(key)).toBe(key.slice(0, 9));
});

test("base 62 uses every bit: other bytes, other text; too few bytes are refused", () => {
  const bytes = new Uint8Array(32);
  const texts = Array.from({ length: 24 }, (_, i) => {
    const changed = Uint8Array.from(bytes);
    changed[31 - i] = 1;
    return base62(changed, 32);
  });
  expect(new Set(texts).size).toBe(24);
  expect(
    base62(
      Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 63 : 0)),
      32,
    ),
  ).toBe(`11${"0".repeat(30)}`);
  expect(() => base62(new Uint8Array(16), 32)).toThrow("32 letters need more than 16 bytes");
});

test("demo keys are the same from the same root secret, and all different: 90 free, 9 paid, 1 enterprise", () => {
  const secrets = ["the root secret of a test"];
  const keys = Array.from({ length: DEMO_KEYS }, (_, i) => demoKey(secrets, i));
  expect(new Set(keys).size).toBe(DEMO_KEYS);
  expect(demoKey([...secrets, "an older one"], 7)).toBe(keys[7]);
  expect(demoKey(["another root secret"], 7)).not.toBe(keys[7]);
  const plans = Array.from({ length: DEMO_KEYS }, (_, i) => demoPlan(i));
  const count = (plan: string) => plans.filter((each) => each === plan).length;
  expect([count("free"), count("paid"), count("enterprise")]).toEqual([90, 9, 1]);
  expect(demoId(0)).toBe("demo-free-00");
  expect(() => demoPlan(100)).toThrow("a demo key is 0..99, got 100");
});
