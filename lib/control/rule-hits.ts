import type { RuleHits } from "@/lib/core/api/rules";
import type { Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import { type RuleMinute, ruleMinutes } from "@/lib/db/rule-counts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES = 60;

/** Hits now, in the last hour and in the same hour yesterday, in the mode that each rule has. */
export async function ruleHits(
  reader: Reader,
  rules: readonly Pick<Rule, "id" | "mode">[],
  nowMs: number,
): Promise<Map<string, RuleHits>> {
  const ruleIds = rules.map(({ id }) => id);
  const running = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const from = running - (MINUTES - 1) * MINUTE_MS;
  const to = running + MINUTE_MS;
  const [today, yesterday] = await Promise.all(
    [0, DAY_MS].map((ago) =>
      ruleMinutes(reader, { ruleIds, from: new Date(from - ago), to: new Date(to - ago) }),
    ),
  );
  const todayOf = byRule(today ?? []);
  const yesterdayOf = byRule(yesterday ?? []);
  return new Map(
    rules.map((rule) => {
      const mode = rule.mode === "enforce" ? "enforce" : "shadow";
      const ofMode = (minutes: RuleMinute[] = []) =>
        minutes.filter((minute) => minute.mode === mode);
      const minutes = ofMode(todayOf.get(rule.id));
      const dayAgo = ofMode(yesterdayOf.get(rule.id));
      const sparkline = new Array<number>(MINUTES).fill(0);
      for (const { minute, rejections } of minutes)
        sparkline[(minute.getTime() - from) / MINUTE_MS] = rejections;
      const lastTwo = (sparkline.at(-1) ?? 0) + (sparkline.at(-2) ?? 0);
      return [
        rule.id,
        {
          mode,
          perMinuteNow: lastTwo / (1 + (nowMs - running) / MINUTE_MS),
          lastHour: sum(minutes, "rejections"),
          requestsLastHour: sum(minutes, "requests"),
          sparkline,
          yesterday: dayAgo.length === 0 ? null : sum(dayAgo, "rejections"),
        },
      ];
    }),
  );
}

function byRule(minutes: readonly RuleMinute[]): Map<string, RuleMinute[]> {
  const rules = new Map<string, RuleMinute[]>();
  for (const minute of minutes) {
    const held = rules.get(minute.ruleId);
    if (held === undefined) rules.set(minute.ruleId, [minute]);
    else held.push(minute);
  }
  return rules;
}

function sum(minutes: readonly RuleMinute[], field: "requests" | "rejections"): number {
  return minutes.reduce((total, minute) => total + minute[field], 0);
}
