import { expect, test } from "vitest";
import { diffBodies } from "./diff";
import { type Body, BodySchema } from "./ruleset";

function bodyWith(settings: object): Body {
  return BodySchema.parse({ settings, plans: [], rules: [] });
}

test("who clients are told by is loud, whatever else a change of the settings holds", () => {
  const before = bodyWith({});
  const after = bodyWith({
    ipv6PrefixLength: 56,
    identity: {
      keyHeaders: ["x-app-key"],
      trustedHeader: "x-consumer",
      addressHeader: "forwarded",
    },
  });
  const sentences = (from: Body, to: Body) =>
    diffBodies(from, to).flatMap(({ diff }) =>
      diff.map(({ path, sentence, loud }) => `${loud ? "! " : ""}${path}: ${sentence}`),
    );
  expect(sentences(before, after)).toEqual([
    "! identity.keyHeaders: keys are read from x-api-key, then authorization → x-app-key",
    "! identity.trustedHeader: trusted hops name clients in no header → x-consumer",
    "! identity.addressHeader: addresses are read from x-forwarded-for → forwarded",
    "ipv6PrefixLength: ipv6PrefixLength: 64 → 56",
  ]);
  expect(sentences(after, bodyWith({ identity: { keyHeaders: [] } }))).toContain(
    "! identity.keyHeaders: keys are read from x-app-key → no header",
  );
});

test("settings of a version that knew nothing of identity are no change", () => {
  const old = JSON.parse(JSON.stringify(bodyWith({})));
  delete old.settings.identity;
  expect(diffBodies(BodySchema.parse(old), bodyWith({}))).toEqual([]);
});

test("that nothing watches what is enforced any more is loud; another bound is a bound", () => {
  const sentences = (from: object, to: object) =>
    diffBodies(bodyWith(from), bodyWith(to)).flatMap(({ diff }) =>
      diff.map(({ sentence, loud }) => `${loud ? "! " : ""}${sentence}`),
    );
  expect(sentences({}, { guardrail: null })).toEqual([
    "! what is enforced is watched by a guardrail that would take it back → nothing",
  ]);
  expect(sentences({ guardrail: null }, { guardrail: { action: "hold" } })).toEqual([
    "what is enforced is watched by nothing → a guardrail that would alert",
  ]);
  expect(sentences({}, { guardrail: { forSeconds: 60 } })).toEqual([
    "guardrail.forSeconds: 30 → 60",
  ]);
});
