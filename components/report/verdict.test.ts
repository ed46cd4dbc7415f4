import { describe, expect, it } from "vitest";
import { verdictOf } from "./verdict";

const enterprise = { id: "enterprise", name: "Enterprise", protected: true };
const plans = [{ id: "free", name: "Free", protected: false }, enterprise];
const base: Parameters<typeof verdictOf>[0] = {
  mode: "shadow",
  requests: 1_220_000,
  rejections: 5120,
  wouldReject: 5120,
  share: 5120 / 1_220_000,
  clients: 37,
  clientsCapped: false,
  filter: { plan: null, route: null, client: null },
  basis: "requests",
  byPlan: [
    { plan: "free", rejections: 5000, clients: 35 },
    { plan: "enterprise", rejections: 120, clients: 2 },
  ],
  coverage: { seconds: 86_400, gateways: 2 },
};
const only = (filter: Partial<typeof base.filter>) => ({ filter: { ...base.filter, ...filter } });
const nobody = { requests: 0, rejections: 0, wouldReject: 0, share: null, clients: 0, byPlan: [] };
const onFree = (clients: number) => ({
  clients,
  byPlan: [{ plan: "free", rejections: 5120, clients }],
});
type Asked = Partial<Parameters<typeof verdictOf>[1]>;
const say = (report: Partial<typeof base>, asked: Asked = {}) =>
  verdictOf({ ...base, ...report }, { words: "in the last 24 h", plans, revision: null, ...asked });

describe("the verdict of a report", () => {
  it("names share, counts, clients, and those of protected plans", () => {
    expect(say({}).headline).toBe(
      "Would reject 0.42%: 5,120 of 1.22M requests in the last 24 h; 37 clients, 2 of them on Enterprise",
    );
    expect(say({ mode: "enforce" }).headline).toMatch(/^Rejected 0\.42%/);
  });

  it("says that nobody of a protected plan is hit, where that is so", () => {
    expect(say(onFree(37)).headline).toMatch(/; 37 clients, none of them on Enterprise$/);
    expect(say(onFree(1)).headline).toMatch(/; 1 client, not on Enterprise$/);
    const more = [...plans, { id: "gov", name: "Gov", protected: true }];
    expect(say(onFree(37), { plans: more }).headline).toMatch(/none of them on a protected plan$/);
    expect(say(onFree(37), { plans: plans.slice(0, 1) }).headline).toMatch(/; 37 clients$/);
  });

  it("keeps what another rule refuses already apart from what enforcing adds", () => {
    expect(say({ wouldReject: 6000 }).notes).toEqual([
      "It would also refuse 880 requests that another rule refuses already: enforcing does not change those.",
    ]);
  });

  it("says that a capped number of clients is a lower bound, and of whose hits it does not know", () => {
    expect(say({ clientsCapped: true }).headline).toContain("at least 37 clients");
    const beyond = { plan: "enterprise", rejections: 9, clients: 0 };
    expect(say({ clientsCapped: true, byPlan: [beyond] }).headline).toMatch(
      /some of them on Enterprise$/,
    );
  });

  it("says of what it speaks when something was asked for", () => {
    expect(say({ ...only({ plan: "free" }), ...onFree(35) }).headline).toBe(
      "Would reject 0.42%: 5,120 of 1.22M requests on plan Free in the last 24 h; 35 clients",
    );
    expect(say({ ...only({ route: "other" }), clients: null }, { revision: 3 }).headline).toBe(
      "Would reject 0.42%: 5,120 of 1.22M requests on any other path under revision 3 in the last 24 h",
    );
    const client = { ...only({ client: "key:a" }), basis: "hitMinutes" as const, clients: 1 };
    expect(say({ ...client, requests: 100, rejections: 18, wouldReject: 18, share: 0.18 })).toEqual(
      {
        kind: "hits",
        headline: "Would reject 18%: 18 of 100 requests of key:a in the last 24 h",
        notes: ["The client’s requests are those of the minutes in which it had a rejection."],
      },
    );
    expect(say({ ...nobody, ...only({ plan: "enterprise" }) }).headline).toBe(
      "No request on plan Enterprise matched this rule in the last 24 h",
    );
  });

  it("takes a client without a row for one without a rejection only where rows are not capped", () => {
    const client = { ...nobody, ...only({ client: "key:a" }), basis: "hitMinutes" as const };
    expect(say(client)).toMatchObject({
      kind: "quiet",
      headline: "No rejection is counted under key:a in the last 24 h",
    });
    expect(say({ ...client, clientsCapped: true }).kind).toBe("none");
    expect(say({ ...client, coverage: { seconds: 0, gateways: 2 } }).kind).toBe("none");
  });

  it("never says that nothing is rejected where nothing is known", () => {
    const silent = say({ ...nobody, coverage: { seconds: 0, gateways: 0 } });
    const uncounted = say({ ...nobody, coverage: { seconds: 0, gateways: 2 } });
    const unmatched = say({ ...nobody });
    expect([silent.kind, uncounted.kind, unmatched.kind]).toEqual(["none", "none", "none"]);
    expect(silent.headline).toBe("No data in the last 24 h: no gateway reported");
    expect(uncounted.headline).toBe("No data in the last 24 h: the rule was not counted in shadow");
    expect(unmatched.headline).toBe("No request matched this rule in the last 24 h");
    expect(say({ rejections: 0, wouldReject: 0, share: 0, clients: 0, byPlan: [] })).toMatchObject({
      kind: "quiet",
      headline: "Would reject nothing: 0 of 1.22M requests in the last 24 h",
    });
  });
});
