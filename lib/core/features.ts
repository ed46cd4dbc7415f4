import type { Body } from "./ruleset";

/** What a gateway of this build can do. A snapshot that requires more is refused whole. */
export const SUPPORTED_FEATURES: readonly string[] = [
  "rate/token-bucket",
  "rate/sliding-window",
  "rate/fixed-window",
  "concurrency",
  "cost/header",
  "cost/route",
  "candidate",
  "warn",
  "precision/leased",
  "precision/approximate",
  "fleet",
  "worker",
  "lists/allow",
  "lists/deny",
  "lists/flood",
];

/** The features a body needs, sorted: what an older gateway must know before it may load it. */
export function requiredFeatures(body: Body): string[] {
  const features = new Set<string>();
  for (const entry of body.rules) {
    for (const revision of [entry.live, entry.candidate]) {
      if (revision === undefined) continue;
      const { limit } = revision.rule;
      features.add(limit.kind === "rate" ? `rate/${limit.algorithm}` : limit.kind);
      const { cost } = revision.rule;
      if (typeof cost !== "number") features.add("header" in cost ? "cost/header" : "cost/route");
      if (revision.rule.warn === true) features.add("warn");
      if (revision.rule.precision !== "exact") features.add(`precision/${revision.rule.precision}`);
    }
    if (entry.candidate !== undefined) features.add("candidate");
  }
  for (const [name, list] of Object.entries(body.lists)) {
    if (list.length > 0) features.add(`lists/${name}`);
  }
  return [...features].sort();
}
