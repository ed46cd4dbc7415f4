import type { RuleInput } from "./rule-input";

/** Where a new rule starts: in shadow, so that nothing is refused before its report was read. */
export const NEW_RULE: RuleInput = {
  id: "",
  name: "",
  description: "",
  match: {},
  countBy: ["client"],
  limit: {
    kind: "rate",
    algorithm: "token-bucket",
    perPlan: {},
    default: { rate: 60, per: "1m", burst: 60 },
  },
  cost: 1,
  precision: "exact",
  failMode: "local",
  mode: "shadow",
  priority: "normal",
};

/** `New links (free)` → `new-links-free` */
export function idOfName(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 63)
    .replace(/-+$/, "");
}
