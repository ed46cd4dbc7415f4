import { describe, expect, test } from "vitest";
import { bindingOutcome, type RuleOutcome } from "./check";

const allowed = (ruleId: string, remaining: number): RuleOutcome => ({
  ruleId,
  role: "enforced",
  allowed: true,
  charged: true,
  remaining,
  resetMs: 0,
  retryAfterMs: 0,
});

const refused = (ruleId: string, retryAfterMs: number | null): RuleOutcome => ({
  ruleId,
  role: "enforced",
  allowed: false,
  charged: false,
  remaining: 0,
  resetMs: 10,
  retryAfterMs,
});

const shadow = (outcome: RuleOutcome): RuleOutcome => ({ ...outcome, role: "shadow" });

describe("the binding rule", () => {
  test.each<[string, RuleOutcome[], string | undefined]>([
    ["is none without rules", [], undefined],
    [
      "is none with shadow rules only",
      [shadow(refused("a", 5)), shadow(allowed("b", 0))],
      undefined,
    ],
    ["is the lowest remaining when all allow", [allowed("a", 5), allowed("b", 2)], "b"],
    ["is the first by id on equal remaining", [allowed("b", 2), allowed("a", 2)], "a"],
    ["is a refusing one, whatever remains elsewhere", [allowed("a", 0), refused("b", 1)], "b"],
    ["is the longest wait when several refuse", [refused("a", 9), refused("b", 30)], "b"],
    ["counts never as the longest wait", [refused("a", 9e9), refused("b", null)], "b"],
    ["is the first by id on equal waits", [refused("b", 9), refused("a", 9)], "a"],
    ["is the first by id among nevers", [refused("b", null), refused("a", null)], "a"],
    ["is never a shadow rule", [shadow(refused("a", null)), allowed("b", 3)], "b"],
  ])("%s", (_, outcomes, ruleId) => {
    expect(bindingOutcome(outcomes)?.ruleId).toBe(ruleId);
    expect(bindingOutcome([...outcomes].reverse())?.ruleId).toBe(ruleId);
  });
});
