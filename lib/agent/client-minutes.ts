import {
  CLIENT_ROWS_MAX,
  type ClientRow,
  type CountedRule,
  OTHER_CLIENTS,
} from "@/lib/core/counts";

/**
 * Clients followed per rule and minute before their first hit. Beyond it a client's requests count from its
 * first hit on, and it is counted as dropped.
 */
export const FOLLOWED_MAX = 20_000;

type Figures = { requests: number; rejections: number; newly: number };
type Tally = Figures & {
  client: string;
  plan: string;
  /** Where its figures go: null before its first hit, itself, or the rule's `other` of its plan. */
  row: Tally | null;
  isDirty: boolean;
};
type RuleMinute = {
  compiled: CountedRule;
  tallies: Map<string, Tally>;
  others: Map<string, Tally>;
  rows: number;
  dirty: Tally[];
};

export type ClientMinutes = {
  /** True for a client's first hit of the minute, while it has a row of its own. */
  count(
    compiled: CountedRule,
    client: string,
    plan: string,
    minute: number,
    outcome: { rejected: boolean; newly: boolean },
  ): boolean;
  /** What was added to clients with a hit since the last call, and how many could not be followed. */
  take(): { rows: ClientRow[]; dropped: number };
};

/** Each client's minute under each rule, handed out only once the client had a hit in it, whole from then on. */
export function createClientMinutes({
  followedMax = FOLLOWED_MAX,
  rowsMax = CLIENT_ROWS_MAX,
}: {
  followedMax?: number;
  rowsMax?: number;
} = {}): ClientMinutes {
  let minute = 0;
  let rules = new Map<CountedRule, RuleMinute>();
  let finished: ClientRow[] = [];
  let dropped = 0;

  function turnTo(next: number): void {
    finished = finished.concat(drain());
    rules = new Map();
    minute = next;
  }

  function drain(): ClientRow[] {
    const rows: ClientRow[] = [];
    for (const { compiled, dirty } of rules.values()) {
      for (const tally of dirty) {
        rows.push(rowOf(compiled, tally, minute));
        tally.requests = 0;
        tally.rejections = 0;
        tally.newly = 0;
        tally.isDirty = false;
      }
      dirty.length = 0;
    }
    return rows;
  }

  function ruleMinuteOf(compiled: CountedRule): RuleMinute {
    const held = rules.get(compiled);
    if (held !== undefined) return held;
    const made = { compiled, tallies: new Map(), others: new Map(), rows: 0, dirty: [] };
    rules.set(compiled, made);
    return made;
  }

  function follow(rule: RuleMinute, client: string, plan: string, isHit: boolean): Tally | null {
    const held = rule.tallies.get(client);
    if (held?.plan === plan) return held;
    const isFull = rule.tallies.size >= followedMax;
    if (isFull && !isHit) return null;
    if (isFull) dropped += 1;
    const tally = newTally(client, plan);
    // A client whose plan changed within the minute has a row under each.
    if (!isFull || rule.rows < rowsMax) rule.tallies.set(client, tally);
    return tally;
  }

  /** The first hit of a client in the minute: a row of its own while there is room. */
  function openRow(rule: RuleMinute, tally: Tally): Tally {
    if (rule.rows < rowsMax) {
      rule.rows += 1;
      tally.row = tally;
      return tally;
    }
    const other = rule.others.get(tally.plan) ?? newTally(OTHER_CLIENTS, tally.plan);
    rule.others.set(tally.plan, other);
    tally.row = other;
    other.requests += tally.requests;
    return other;
  }

  return {
    count: (compiled, client, plan, at, { rejected, newly }) => {
      if (at !== minute) turnTo(at);
      const rule = ruleMinuteOf(compiled);
      const tally = follow(rule, client, plan, rejected);
      if (tally === null) return false;
      const isFirst = rejected && tally.row === null;
      const row = tally.row ?? (rejected ? openRow(rule, tally) : tally);
      row.requests += 1;
      if (rejected) row.rejections += 1;
      if (newly) row.newly += 1;
      if (tally.row !== null && !row.isDirty) {
        row.isDirty = true;
        rule.dirty.push(row);
      }
      return isFirst && row === tally;
    },
    take: () => {
      const rows = finished.concat(drain());
      const result = { rows, dropped };
      finished = [];
      dropped = 0;
      return result;
    },
  };
}

function newTally(client: string, plan: string): Tally {
  return { client, plan, requests: 0, rejections: 0, newly: 0, row: null, isDirty: false };
}

function rowOf(compiled: CountedRule, tally: Tally, minute: number): ClientRow {
  const { client, plan, requests, rejections, newly } = tally;
  return {
    minute,
    rule: compiled.id,
    revision: compiled.revision,
    mode: compiled.mode,
    lane: compiled.lane,
    plan,
    client,
    requests,
    rejections,
    newly,
  };
}
