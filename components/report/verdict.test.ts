import { describe, expect, it } from "vitest";
import { verdictOf } from "./verdict";

const plans = [
  { id: "free", name: "Free", protected: false },
  { id: "enterprise", name: "Enterprise", protected: true },
];
const base = {
  mode: "shadow" as const,
  requests: 1_220_000,
  rejections: 5120,
  wouldReject: 5120,
  share: 5120 / 1_220_000,
  clients: 37,
  clientsCapped: false,
  byPlan: [
    { plan: "free", clients: 35 },
    { plan: "enterprise", clients: 2 },
  ],
  coverage: { seconds: 86_400, gateways: 2 },
};
const say = (report: Partial<typeof base> | { mode: "enforce" }) =>
  verdictOf({ ...base, ...report }, { words: "the last 24 h", plans });

describe("the verdict of a report", () => {
  it("names share, counts, clients, and those of protected plans", () => {
    expect(say({}).headline).toBe(
      "Would reject 0.42%: 5,120 of 1.22M requests in the last 24 h; 37 clients, 2 of them on Enterprise",
    );
    expect(say({ mode: "enforce" }).headline).toMatch(/^Rejected 0\.42%/);
  });

  it("keeps what another rule refuses already apart from what enforcing adds", () => {
    expect(say({ wouldReject: 6000 }).notes).toEqual([
      "It would also refuse 880 requests that another rule refuses already: enforcing does not change those.",
    ]);
  });

  it("says that a capped number of clients is a lower bound", () => {
    expect(say({ clientsCapped: true }).headline).toContain("at least 37 clients");
  });

  it("never says that nothing is rejected where nothing is known", () => {
    const none = { requests: 0, rejections: 0, wouldReject: 0, clients: 0, byPlan: [] };
    const silent = say({ ...none, coverage: { seconds: 0, gateways: 0 } });
    const uncounted = say({ ...none, coverage: { seconds: 0, gateways: 2 } });
    const unmatched = say({ ...none });
    expect([silent.kind, uncounted.kind, unmatched.kind]).toEqual(["none", "none", "none"]);
    expect(silent.headline).toBe("No data in the last 24 h: no gateway reported");
    expect(uncounted.headline).toBe("No data in the last 24 h: the rule was not counted in shadow");
    expect(unmatched.headline).toBe("No request matched this rule in the last 24 h");
    expect(say({ rejections: 0, wouldReject: 0, share: 0 })).toMatchObject({
      kind: "quiet",
      headline: "Would reject nothing: 0 of 1.22M requests in the last 24 h",
    });
  });
});
