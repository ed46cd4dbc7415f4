import type { Action } from "@/components/ui/action-result";
import type { KeyCreated, KeyRotated, KeyRow } from "@/lib/core/api/keys";

/** The server actions that the pages of keys call. */
export type KeyActions = {
  create: Action<{ plan: string; customer?: string; name?: string }, KeyCreated>;
  update: Action<{ id: string; name?: string; plan?: string }, KeyRow>;
  rotate: Action<{ id: string; graceHours: number }, KeyRotated>;
  revoke: Action<{ id: string }, KeyRow>;
};

export type PlanChoice = { id: string; name: string };
