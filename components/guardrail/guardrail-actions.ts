import type { Action } from "@/components/ui/action-result";
import type { Enforcement } from "@/lib/core/api/enforcement";
import type { Guardrail } from "@/lib/core/guardrail";

export type GuardrailActions = {
  set: Action<{ id: string; guardrail: Guardrail; reason: string }, Enforcement>;
  end: Action<{ id: string; reason: string }, Enforcement>;
};

export type GuardrailDialogProps = {
  enforcement: Enforcement;
  actions: GuardrailActions;
};
