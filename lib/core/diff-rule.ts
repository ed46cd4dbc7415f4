import type { FieldDiff } from "./api/change";
import { costDiffs } from "./diff-cost";
import { countingDiffs } from "./diff-counting";
import { limitDiffs } from "./diff-limit";
import { fieldDiff, isEqual, leafDiffs, setDiff, valueWords } from "./field-diff";
import type { Match, Mode, Rule } from "./rule";

/** What differs between two states of a rule, what matters most first. Empty only for equal rules. */
export function diffRule(before: Rule, after: Rule): FieldDiff[] {
  return [
    ...modeDiff(before.mode, after.mode),
    ...warnDiff(before, after),
    ...countingDiffs(before, after),
    ...limitDiffs(before, after),
    ...costDiffs(before.cost, after.cost),
    ...matchDiffs(before.match, after.match),
    ...(["failMode", "precision", "priority"] as const).flatMap((name) =>
      leafDiffs(before[name], after[name], name),
    ),
    ...(["name", "description"] as const).flatMap((name) =>
      leafDiffs(before[name], after[name], name),
    ),
    ...leafDiffs(before.meta, after.meta, "meta"),
  ];
}

const MODE_EFFECTS: Record<Mode, string> = {
  enforce: "it starts to refuse requests",
  shadow: "it only counts",
  off: "it does nothing",
};

function modeDiff(before: Mode, after: Mode): FieldDiff[] {
  if (before === after) return [];
  const direction = after === "enforce" ? "stricter" : before === "enforce" ? "looser" : "other";
  const sentence = `mode ${before} → ${after}: ${MODE_EFFECTS[after]}`;
  return [fieldDiff("mode", [before, after], sentence, { direction, loud: after === "enforce" })];
}

/** Enforcing ends the warnings, and says so itself. */
function warnDiff(before: Rule, after: Rule): FieldDiff[] {
  const [had, has] = [before.warn === true, after.warn === true];
  if (had === has) return [];
  const effect = has
    ? "clients are warned: a header says what would be refused"
    : "clients are warned no more";
  return [fieldDiff("warn", [had, has], `warn ${had ? "on → off" : "off → on"}: ${effect}`)];
}

function matchDiffs(before: Match, after: Match): FieldDiff[] {
  const sets = [
    { name: "methods", all: "every method" },
    { name: "routes", all: "every route" },
    { name: "plans", all: "every plan" },
    { name: "ips", all: "every address" },
  ] as const;
  const names = new Set([
    ...Object.keys(before.headers ?? {}),
    ...Object.keys(after.headers ?? {}),
  ]);
  const { authenticated: had } = before;
  const { authenticated: has } = after;
  return [
    ...sets.flatMap(({ name, all }) =>
      setDiff({ path: `match.${name}`, label: name, all }, before[name], after[name]),
    ),
    ...(had === has
      ? []
      : [fieldDiff("match.authenticated", [had, has], `${keyWords(had)} → ${keyWords(has)}`)]),
    ...[...names].sort().flatMap((name) => headerDiff(name, before.headers, after.headers)),
    ...emptyHeadersDiff(before, after),
  ];
}

function keyWords(authenticated: boolean | undefined): string {
  if (authenticated === undefined) return "with or without a key";
  return authenticated ? "only with a key" : "only without a key";
}

function headerDiff(name: string, before: Match["headers"], after: Match["headers"]): FieldDiff[] {
  const values = [own(before, name), own(after, name)] as const;
  if (isEqual(values[0], values[1])) return [];
  const [from, to] = values.map((accepted) => {
    if (accepted === undefined) return "not looked at";
    return accepted.length === 0 ? "any value" : valueWords(accepted);
  });
  return [fieldDiff(`match.headers.${name}`, values, `header ${name}: ${from} → ${to}`)];
}

function own(headers: Match["headers"], name: string): string[] | undefined {
  return headers !== undefined && Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** `headers: {}` and no headers accept the same. */
function emptyHeadersDiff({ headers: before }: Match, { headers: after }: Match): FieldDiff[] {
  const isOnlySpelling =
    Object.keys({ ...before, ...after }).length === 0 &&
    (before === undefined) !== (after === undefined);
  if (!isOnlySpelling) return [];
  const sentence = "headers: no condition, written in another way";
  return [fieldDiff("match.headers", [before, after], sentence, { direction: "same" })];
}
