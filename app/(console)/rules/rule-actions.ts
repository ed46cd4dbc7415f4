import type { RuleActions } from "@/components/rules/rule-actions-data";
import { stopEnforcingAction } from "../stops/actions";
import { rollbackRuleAction, rollbackVersionAction, setModeAction } from "./actions";

export const ruleActions: RuleActions = {
  setMode: setModeAction,
  rollbackRule: rollbackRuleAction,
  rollbackVersion: rollbackVersionAction,
  stop: stopEnforcingAction,
};
