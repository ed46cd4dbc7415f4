const UNITS: readonly [RegExp, string][] = [
  [/^(s|sec|secs|second|seconds)$/, "s"],
  [/^(m|min|mins|minute|minutes)$/, "m"],
  [/^(h|hr|hrs|hour|hours)$/, "h"],
  [/^(d|day|days)$/, "d"],
  [/^(mo|mon|month|months)$/, "mo"],
];

/** `1 min`, `minute`, `2 hours` as the rule writes them: `1m`, `1m`, `2h`. Anything else stays as typed. */
export function tidyDuration(text: string): string {
  const parts = /^(\d{0,8})\s*([a-z]+)$/.exec(text.trim().toLowerCase());
  const unit = UNITS.find(([words]) => words.test(parts?.[2] ?? ""))?.[1];
  return parts === null || unit === undefined ? text.trim() : `${parts[1] || "1"}${unit}`;
}
