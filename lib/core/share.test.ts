import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { bodyOf, factsOf, tokenBucketRule } from "../testing/rules";
import { compileRuleset } from "./compile-ruleset";
import type { RuleEntry } from "./ruleset";
import { compileShare, drawOf } from "./share";

const clients = Array.from({ length: 20_000 }, (_, i) => `key:client-${i}`);

test("a draw is uint32(sha256(rule NUL client)) mod 10000", () => {
  for (const client of clients.slice(0, 50)) {
    const hash = createHash("sha256").update(`per-key\0${client}`).digest();
    expect(drawOf("per-key", client)).toBe(hash.readUInt32BE(0) % 10_000);
  }
});

test("who is of a smaller share is of every larger one, and each is about as large as it says", () => {
  let before = new Set<string>();
  for (const share of [0, 0.01, 1, 10, 50, 99.99, 100]) {
    const isOf = compileShare({ id: "per-key", share });
    const chosen = new Set(clients.filter((client) => isOf(client, "free")));
    expect(Math.abs(chosen.size / clients.length - share / 100)).toBeLessThan(0.01);
    expect([...before].filter((client) => !chosen.has(client))).toEqual([]);
    before = chosen;
  }
  expect(before.size).toBe(clients.length);
});

test("a share by plan leaves out plans that it does not name, whatever they are called", () => {
  const isOf = compileShare({ id: "per-key", share: { free: 100 } });
  expect([isOf("key:a", "free"), isOf("key:a", "paid"), isOf("key:a", "constructor")]).toEqual([
    true,
    false,
    false,
  ]);
});

function lanesOf(entry: Partial<RuleEntry>, client: string): string[] {
  const live = tokenBucketRule({ mode: "enforce" });
  const body = bodyOf([live]);
  const [known] = body.rules;
  if (known?.live === undefined) throw new Error("the rule must be live");
  const candidate = { ...known.live, revision: 2, slot: 77 };
  const rules = [{ ...known, candidate, ...entry }];
  const index = compileRuleset({ ...body, rules }, { epoch: 1, version: 2, hash: "h" });
  return index
    .match(factsOf({ key: client, plan: "free" }))
    .map(
      ({ compiled }) => `${compiled.lane} ${compiled.revision} ${compiled.slot} ${compiled.mode}`,
    );
}

const [inTen = "", outOfTen = ""] = [true, false].map((isOf) => {
  const chosen = compileShare({ id: "per-key-rate", share: 10 });
  return clients.find((client) => chosen(client, "free") === isOf)?.slice("key:".length);
});

test("share 0 is a candidate in shadow beside the live revision", () => {
  for (const share of [undefined, 0])
    expect(lanesOf({ share }, "any")).toEqual(["live 1 1 enforce", "candidate 2 77 shadow"]);
});

test("a client of the share meets the candidate, enforced, and no live revision", () => {
  expect(lanesOf({ share: 10 }, inTen)).toEqual(["candidate 2 77 enforce"]);
});

test("a client that is not of the share keeps the live revision, and the candidate in shadow", () => {
  expect(lanesOf({ share: 10 }, outOfTen)).toEqual(["live 1 1 enforce", "candidate 2 77 shadow"]);
});

test("without a live revision the others have the candidate in shadow only", () => {
  expect(lanesOf({ live: undefined, share: 10 }, outOfTen)).toEqual(["candidate 2 77 shadow"]);
  expect(lanesOf({ live: undefined, share: 10 }, inTen)).toEqual(["candidate 2 77 enforce"]);
});

test("promoted, a candidate goes on in its own slot", () => {
  const live = tokenBucketRule({ mode: "enforce" });
  const body = bodyOf([live]);
  const [known] = body.rules;
  if (known?.live === undefined) throw new Error("the rule must be live");
  const promoted = { ...known, live: { ...known.live, revision: 2, slot: 77 } };
  const index = compileRuleset({ ...body, rules: [promoted] }, { epoch: 1, version: 3, hash: "i" });
  expect(index.match(factsOf({ key: "a", plan: "free" }))).toMatchObject([
    { compiled: { lane: "live", slot: 77, hasCandidate: false } },
  ]);
});
