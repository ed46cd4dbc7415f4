import type { Action } from "@/components/ui/action-result";
import type { DraftWriteResult } from "@/lib/core/api/draft";
import type { PlanEffects } from "@/lib/core/api/plans";
import type { Plan } from "@/lib/core/plan";

/** The server actions that edit plans: all in the caller's draft. */
export type PlanActions = {
  save: Action<{ id: string; body: unknown; edit?: number; baseVersion: number }, DraftWriteResult>;
  remove: Action<{ id: string; edit?: number }, DraftWriteResult>;
  /** What its clients would get without it. */
  previewRemoval: Action<{ id: string }, PlanEffects[]>;
  revert: Action<{ kind: "plan"; id: string; edit?: number }, unknown>;
};

/** A plan as it is live and as the caller's draft has it; null: not there. */
export type PlanEntry = {
  id: string;
  live: Plan | null;
  draft: Plan | null;
  /** The draft's edit number, 0 when the draft leaves it alone. */
  edit: number;
  /** The version that it was read from. */
  baseVersion: number;
  /** `lowers …`: what the draft does to it. */
  change: string | null;
  customers: number;
  keys: number;
};
