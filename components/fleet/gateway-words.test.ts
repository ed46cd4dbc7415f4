import { describe, expect, it } from "vitest";
import { fleetHeadline, statusCommand } from "./gateway-words";

const current = { epoch: 1, version: 14 };
const gateway = { state: "live" as const, mode: "shared" as const, refused: null };

describe("the fleet's headline", () => {
  const say = (
    items: object[],
    convergence: Partial<{ live: number; applied: number; silent: number }>,
  ) =>
    fleetHeadline({
      current,
      items: items as Parameters<typeof fleetHeadline>[0]["items"],
      convergence: {
        live: 0,
        applied: 0,
        silent: 0,
        converged: false,
        tookMs: null,
        p50Ms: null,
        p99Ms: null,
        ...convergence,
      },
    });

  it("counts live gateways on the live version", () => {
    expect(say([gateway, gateway], { live: 2, applied: 2 })).toBe("2 of 2 live on v14");
  });

  it("names silence, refusals and local limits: none of them is health", () => {
    expect(
      say(
        [
          { ...gateway, mode: "local" },
          { ...gateway, refused: { epoch: 1, version: 14, reason: "geo" } },
          { ...gateway, state: "silent" },
        ],
        { live: 2, applied: 1, silent: 1 },
      ),
    ).toBe("1 of 2 live on v14, 1 silent, 1 refused it, 1 limiting by its own share");
  });

  it("says that nobody has reported rather than 0 of 0", () => {
    expect(say([], {})).toBe("No gateway has reported yet");
  });
});

it("a gateway's admin port is 1000 above the port in its id", () => {
  expect(statusCommand("vm-8081")).toEqual({
    code: "curl -s http://vm:9081/status",
    isGuess: false,
  });
  expect(statusCommand("edge-eu").isGuess).toBe(true);
});
