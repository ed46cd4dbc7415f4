import { ListsSchema } from "./list-entry";
import { PlanSchema } from "./plan";
import { RuleSchema } from "./rule";
import { SettingsSchema } from "./ruleset";
import type { Content } from "./ruleset-objects";

const plans = [
  { id: "free", name: "Free", rank: 0, description: "For trying things out." },
  { id: "paid", name: "Paid", rank: 1, description: "Billed monthly." },
  {
    id: "enterprise",
    name: "Enterprise",
    rank: 2,
    description: "Under contract: a rejection here wakes somebody.",
    protected: true,
  },
].map((plan) => PlanSchema.parse(plan));

/** Version 1 of every installation: the three plans, no rules. */
export const INITIAL_CONTENT: Content = {
  settings: SettingsSchema.parse({}),
  lists: ListsSchema.parse({}),
  routes: [],
  plans,
  rules: [],
  candidates: [],
};

const perMinute = (rate: number) => ({ rate, per: "1m", burst: rate });

/** Version 1 of the demo. Its evidence bounds are low, so that a shadow report is enough within minutes; its few clients are on tape. */
export const DEMO_CONTENT: Content = {
  ...INITIAL_CONTENT,
  settings: SettingsSchema.parse({
    evidence: { minSeconds: 60, minRequests: 100 },
    tape: { enabled: true, percent: 100 },
  }),
  routes: ["/v1/messages", "/v1/messages/:id", "/v1/links", "/v1/links/:id"],
  rules: [
    {
      id: "anonymous-by-ip",
      name: "Requests without a key, by IP address",
      description: "Keeps scanners and forgotten scripts from taking the API's capacity.",
      match: { authenticated: false },
      countBy: ["ip"],
      limit: { kind: "rate", algorithm: "token-bucket", anonymous: perMinute(20) },
      mode: "enforce",
    },
    {
      id: "new-links-free",
      name: "New links on the free plan",
      description: "In shadow: would stop keys that create links in bursts. Nobody is refused yet.",
      match: { methods: ["POST"], routes: ["/v1/links"], plans: ["free"] },
      countBy: ["apiKey"],
      limit: {
        kind: "rate",
        algorithm: "token-bucket",
        perPlan: { free: { rate: 6, per: "1m", burst: 3 } },
      },
      mode: "shadow",
    },
    {
      id: "per-key-rate",
      name: "Requests per API key",
      description: "What each plan was sold with.",
      countBy: ["apiKey"],
      limit: {
        kind: "rate",
        algorithm: "token-bucket",
        perPlan: { free: perMinute(60), paid: perMinute(600), enterprise: perMinute(6000) },
        default: { rate: 60, per: "1m", burst: 20 },
      },
      mode: "enforce",
    },
  ].map((rule) => RuleSchema.parse(rule)),
};
