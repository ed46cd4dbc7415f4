import type { CountedMode, CountedOutcome, Lane } from "@/lib/core/counts";
import { PRIORITIES, type Priority } from "@/lib/core/rule";
import type { RequestFacts, RulesetIndex, ShedderRule } from "@/lib/core/ruleset-index";
import { shedRetryAfter } from "@/lib/core/shed-problem";
import type { ShedderState, ShedderStates } from "./shedder-states";

/** What the shedders say of a request. */
export type Shed = {
  /** Those that matched, and what each said, for counts. */
  matched: readonly ShedderRule[];
  outcomes: readonly CountedOutcome[];
  /** The enforced rule that refuses; null: it may pass. */
  refusal: { rule: string; retryAfter: number } | null;
  /** Another rule refused it after all: it takes nothing of the fleet. */
  undo(): void;
};

/** Refused by a rule (mode enforce), or would have been (mode shadow). */
export type ShedCount = {
  rule: string;
  mode: CountedMode;
  lane: Lane;
  priority: Priority;
  count: number;
};

export type Shedding = {
  /** Null when no shedder matches. Before any check: it waits for nobody. */
  judge(index: RulesetIndex, facts: RequestFacts): Shed | null;
  counts(): readonly ShedCount[];
};

type Asked = {
  rule: ShedderRule;
  state: ShedderState;
  priority: Priority;
  /** Whole seconds to wait; null: it may pass. */
  retryAfter: number | null;
  isTaken: boolean;
};

const PASSED: CountedOutcome = { allowed: true, resetMs: 0, retryAfterMs: 0 };

/**
 * Every fleet and worker rule that matches judges with the most important priority that any enforced one of them
 * gives. A shadow rule judges as if it alone were added, and can so make no request pass that would not.
 */
export function createShedding({
  states,
  random = Math.random,
}: {
  states: Pick<ShedderStates, "find" | "nowUs">;
  random?: () => number;
}): Shedding {
  const tallies = new Map<string, ShedCount>();

  function ask(rule: ShedderRule, priority: Priority, chance: number): Asked[] {
    const state = states.find(rule);
    if (state === null) return [];
    const allowed =
      state.kind === "fleet"
        ? state.shedder.offer(priority, states.nowUs())
        : !state.shedder.sheds(priority, chance);
    const retryAfter = allowed || priority === "critical" ? null : waitOf(state, priority);
    if (retryAfter !== null) tally(rule, priority);
    return [{ rule, state, priority, retryAfter, isTaken: false }];
  }

  function waitOf({ shedder }: ShedderState, priority: Exclude<Priority, "critical">): number {
    return shedRetryAfter(shedder.shareOf(priority), random());
  }

  function tally({ compiled: { id: rule, mode, lane } }: ShedderRule, priority: Priority): void {
    const key = `${rule} ${mode} ${lane} ${priority}`;
    const held = tallies.get(key);
    if (held === undefined) tallies.set(key, { rule, mode, lane, priority, count: 1 });
    else held.count += 1;
  }

  return {
    judge: ({ shedders }, facts) => {
      if (shedders === null) return null;
      const matched = shedders.match(facts);
      if (matched.length === 0) return null;
      const enforced = matched.filter(isEnforced);
      const chance = random();
      const asked = matched.flatMap((rule) => ask(rule, priorityFor(rule, enforced), chance));
      const refusal = longestWait(asked);
      take(asked);
      return {
        matched: asked.map(({ rule }) => rule),
        outcomes: asked.map(({ retryAfter }) => outcomeOf(retryAfter)),
        refusal,
        undo: () => undo(asked),
      };
    },
    counts: () => [...tallies.values()],
  };
}

/** All or nothing in each rule's world: itself and every enforced rule, a candidate in place of its live revision. */
function take(asked: readonly Asked[]): void {
  const refusing = asked.filter(({ rule, retryAfter }) => retryAfter !== null && isEnforced(rule));
  for (const one of asked) {
    if (one.retryAfter !== null || one.state.kind !== "fleet") continue;
    if (refusing.some(({ rule }) => idOf(rule) !== idOf(one.rule))) continue;
    one.state.shedder.take(one.priority);
    one.isTaken = true;
  }
}

function undo(asked: readonly Asked[]): void {
  for (const { state, priority, isTaken } of asked)
    if (state.kind === "fleet") state.shedder.undo(priority, isTaken);
}

function longestWait(asked: readonly Asked[]): Shed["refusal"] {
  let longest: Shed["refusal"] = null;
  for (const { rule, retryAfter } of asked) {
    if (retryAfter === null || !isEnforced(rule)) continue;
    if (longest === null || retryAfter > longest.retryAfter)
      longest = { rule: idOf(rule), retryAfter };
  }
  return longest;
}

function outcomeOf(retryAfter: number | null): CountedOutcome {
  return retryAfter === null
    ? PASSED
    : { allowed: false, resetMs: 0, retryAfterMs: retryAfter * 1000 };
}

function isEnforced({ compiled }: ShedderRule): boolean {
  return compiled.mode === "enforce";
}

function idOf({ compiled }: ShedderRule): string {
  return compiled.id;
}

/** The most important that a rule of its world gives. */
function priorityFor(rule: ShedderRule, enforced: readonly ShedderRule[]): Priority {
  let { priority } = rule.compiled.rule;
  for (const { compiled } of enforced)
    if (compiled.id !== idOf(rule) && rankOf(compiled.rule.priority) < rankOf(priority))
      priority = compiled.rule.priority;
  return priority;
}

function rankOf(priority: Priority): number {
  return PRIORITIES.indexOf(priority);
}
