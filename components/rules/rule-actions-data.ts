import type { StopEnforcing } from "@/components/stops/stop-actions-data";
import type { Action } from "@/components/ui/action-result";
import type { Published } from "@/lib/core/api/publish";
import type { Guardrail } from "@/lib/core/guardrail";
import type { Mode } from "@/lib/core/rule";
import type { RollbackVersion } from "./published-version";

/** The server actions that the dialogs of a rule call. */
export type RuleActions = {
  setMode: Action<
    {
      id: string;
      mode: Mode;
      reason: string;
      expectVersion?: number;
      acknowledgeGaps?: boolean;
      acknowledgeRadius?: boolean;
      guardrail?: Guardrail | null;
    },
    Published
  >;
  rollbackRule: Action<
    { id: string; revision: number; reason?: string; expectVersion?: number },
    Published
  >;
  rollbackVersion: RollbackVersion;
  stop: StopEnforcing;
};

/** Which rule a dialog is about, as the list or the page showed it. */
export type RuleSubject = {
  id: string;
  name: string;
  mode: Mode;
  revision: number;
  sentence: string;
};

export type RuleDialogKind = "enforce" | "shadow" | "off" | "rollback";
