import type { Action } from "@/components/ui/action-result";
import type { FoundClient, OverrideRow, OverrideWriteInput } from "@/lib/core/api/overrides";
import type { Rule } from "@/lib/core/rule";

export type OverrideActions = {
  put: Action<{ id: string; body: OverrideWriteInput }, OverrideRow>;
  end: Action<{ id: string }, OverrideRow>;
  find: Action<{ kind: "key" | "customer"; text: string }, FoundClient[]>;
};

/** Of a rule, what an override has to do with. */
export type RuleChoice = Pick<Rule, "id" | "name" | "mode" | "match" | "countBy" | "limit">;

/** Who an override is for, as far as it is known. */
export type ChosenClient = { client: string; plan: string; name: string; prefix: string };

/** What a dialog starts from. */
export type OverrideSubjectChoice = { client?: ChosenClient; rule?: string };
