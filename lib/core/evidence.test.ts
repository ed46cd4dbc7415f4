import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EvidenceCoverage, judgeEvidence } from "./evidence";
import { SettingsSchema } from "./ruleset";

const bounds = SettingsSchema.parse({}).evidence;
const enough: EvidenceCoverage = {
  seconds: 3600,
  requests: 1000,
  gatewaysLive: 3,
  gatewaysReporting: 3,
  droppedShare: 0.01,
};

test("an hour, a thousand requests, every gateway and at most 1 % dropped are enough", () => {
  expect(judgeEvidence(bounds, enough)).toEqual({ enough: true, why: [] });
});

describe("what is missing is said", () => {
  test.each<[Partial<EvidenceCoverage>, string]>([
    [{ seconds: 3599 }, "59m of data, at least 1h needed"],
    [{ seconds: 45 }, "45s of data, at least 1h needed"],
    [{ seconds: 0 }, "no data, at least 1h needed"],
    [{ requests: 999 }, "999 matched requests, at least 1000 needed"],
    [{ requests: 1 }, "1 matched request, at least 1000 needed"],
    [{ requests: 0 }, "no matched requests, at least 1000 needed"],
    [{ gatewaysReporting: 2 }, "2 of 3 gateways reported throughout"],
    [{ gatewaysLive: 0, gatewaysReporting: 0 }, "no gateway has reported"],
    [{ droppedShare: 0.010_001 }, "1.01 % of the counts were dropped, at most 1 % allowed"],
    [
      { droppedShare: Number.NaN },
      "an unknown share of the counts were dropped, at most 1 % allowed",
    ],
  ])("%j", (fields, why) => {
    expect(judgeEvidence(bounds, { ...enough, ...fields })).toEqual({ enough: false, why: [why] });
  });

  test("all of it at once", () => {
    const nothing = {
      seconds: 0,
      requests: 0,
      gatewaysLive: 0,
      gatewaysReporting: 0,
      droppedShare: 1,
    };
    expect(judgeEvidence(bounds, nothing).why).toHaveLength(4);
  });
});

test("a figure that is no number is never enough", () => {
  const figure = fc.constantFrom(
    "seconds",
    "requests",
    "gatewaysLive",
    "gatewaysReporting",
    "droppedShare",
  );
  fc.assert(
    fc.property(figure, (name) => {
      expect(judgeEvidence(bounds, { ...enough, [name]: Number.NaN }).enough).toBe(false);
    }),
  );
});
