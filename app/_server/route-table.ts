import { APPROVAL_ROUTES } from "./approval-routes";
import { BACKTEST_ROUTES } from "./backtest-routes";
import { CANDIDATE_ROUTES } from "./candidate-routes";
import { CLIENT_ROUTES } from "./client-routes";
import { FLEET_ROUTES } from "./fleet-routes";
import { GUARDRAIL_ROUTES } from "./guardrail-routes";
import { PEOPLE_ROUTES } from "./people-routes";
import { RULE_ROUTES } from "./rule-routes";
import { WEBHOOK_ROUTES } from "./webhook-routes";

/** Every path of `/api/v1`: the source of its handlers' types, of the documentation, and of 405 and Allow. */
export const ROUTES = {
  ...RULE_ROUTES,
  ...GUARDRAIL_ROUTES,
  ...CANDIDATE_ROUTES,
  ...FLEET_ROUTES,
  ...PEOPLE_ROUTES,
  ...APPROVAL_ROUTES,
  ...CLIENT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...BACKTEST_ROUTES,
};

export type RoutePath = keyof typeof ROUTES;
