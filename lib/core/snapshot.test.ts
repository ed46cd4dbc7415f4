import { describe, expect, test } from "vitest";
import { requiredFeatures } from "./features";
import { BodySchema } from "./ruleset";
import { deriveKeys, keyedHash } from "./secrets";
import { bodyHash, encodeSnapshot, readSnapshot } from "./snapshot";
import { compareVersions } from "./version";

const keys = deriveKeys(["a root secret", "an older root secret"], "snapshot");
const rule = {
  id: "per-ip",
  name: "Per IP",
  countBy: ["ip"],
  limit: { kind: "rate", algorithm: "token-bucket", default: { rate: 10, per: "1h", burst: 10 } },
};
const body = BodySchema.parse({
  plans: [{ id: "free", name: "Free" }],
  rules: [{ id: "per-ip", live: { revision: 1, slot: 7, rule } }],
});
const bytes = new TextEncoder().encode(JSON.stringify(body));
const unsigned = {
  environment: "test",
  epoch: 100,
  version: 3,
  requires: requiredFeatures(body),
  body: bytes,
};
const document = encodeSnapshot(unsigned, keys[0]);
const expected = { environment: "test", keys };

function reasonOf(read: ReturnType<typeof readSnapshot>): string {
  return read.ok ? "accepted" : read.reason;
}

function withEnvelope(
  change: (envelope: Record<string, unknown>) => void,
  of = document,
): Uint8Array {
  const newline = of.indexOf(0x0a);
  const envelope = JSON.parse(new TextDecoder().decode(of.subarray(0, newline)));
  change(envelope);
  const line = new TextEncoder().encode(`${JSON.stringify(envelope)}\n`);
  const changed = new Uint8Array(line.length + of.length - newline - 1);
  changed.set(line);
  changed.set(of.subarray(newline + 1), line.length);
  return changed;
}

test("a document reads back as what was published", () => {
  const read = readSnapshot(document, expected);
  expect(read).toMatchObject({
    ok: true,
    body,
    envelope: { epoch: 100, version: 3, hash: bodyHash(bytes) },
  });
});

test("a document signed with an older root secret is still taken", () => {
  const older = encodeSnapshot(unsigned, keys[1] ?? keys[0]);
  expect(readSnapshot(older, expected).ok).toBe(true);
  expect(reasonOf(readSnapshot(older, { ...expected, keys: [keys[0]] }))).toMatch(
    /which this gateway does not have/,
  );
});

describe("refused whole, with the reason", () => {
  const tampered = document.slice();
  tampered[tampered.length - 3] = 0x20;
  test.each([
    ["nothing", new Uint8Array(), /empty/],
    ["no envelope line", new TextEncoder().encode("{}"), /empty or has no envelope line/],
    ["no JSON", new TextEncoder().encode("what\nis this"), /envelope is not valid/],
    ["a changed body", tampered, /does not have the hash/],
    [
      "a raised version",
      withEnvelope((e) => {
        e.version = 4;
      }),
      /signature does not fit/,
    ],
    [
      "another environment",
      withEnvelope((e) => {
        e.environment = "prod";
      }),
      /environment "prod", this gateway serves "test"/,
    ],
    [
      "an unknown signing key",
      withEnvelope((e) => {
        e.keyId = "00000000";
      }),
      /key 00000000/,
    ],
    [
      "a dropped requirement",
      withEnvelope((e) => {
        e.requires = [];
      }),
      /signature does not fit/,
    ],
    [
      "a newer schema",
      withEnvelope((e) => {
        e.schema = 2;
      }),
      /schema/,
    ],
  ])("%s", (_name, changed, reason) => {
    expect(reasonOf(readSnapshot(changed, expected))).toMatch(reason);
  });

  test("a feature that this gateway lacks, by name", () => {
    const newer = encodeSnapshot({ ...unsigned, requires: ["match/geo"] }, keys[0]);
    expect(reasonOf(readSnapshot(newer, expected))).toBe(
      "the snapshot requires match/geo, which this gateway lacks",
    );
  });

  test("a body with a key that this build does not know", () => {
    const odd = new TextEncoder().encode(JSON.stringify({ ...body, geo: {} }));
    expect(
      reasonOf(readSnapshot(encodeSnapshot({ ...unsigned, body: odd }, keys[0]), expected)),
    ).toMatch(/body is not valid/);
  });
});

test("what stands under meta is ignored", () => {
  const noted = new TextEncoder().encode(JSON.stringify({ ...body, meta: { colour: "blue" } }));
  const changed = withEnvelope(
    (e) => {
      e.meta = { note: 1 };
    },
    encodeSnapshot({ ...unsigned, body: noted }, keys[0]),
  );
  expect(readSnapshot(changed, expected).ok).toBe(true);
});

test("versions are ordered by epoch first", () => {
  expect(compareVersions({ epoch: 2, version: 1 }, { epoch: 1, version: 9 })).toBeGreaterThan(0);
  expect(compareVersions({ epoch: 1, version: 1 }, { epoch: 1, version: 1 })).toBe(0);
  expect(compareVersions({ epoch: 1, version: 1 }, { epoch: 1, version: 2 })).toBeLessThan(0);
});

test("purposes have unrelated secrets, and a key id does not reveal the secret", () => {
  const [snapshot] = deriveKeys(["root"], "snapshot");
  const [apiKey] = deriveKeys(["root"], "api-key");
  expect(snapshot.keyId).not.toBe(apiKey.keyId);
  expect(keyedHash("hg_abc", snapshot)).not.toBe(keyedHash("hg_abc", apiKey));
  expect(keyedHash("hg_abc", apiKey)).toMatch(/^[0-9a-f]{64}$/);
  expect(Buffer.from(snapshot.secret).toString("hex")).not.toContain(snapshot.keyId);
});
