import type { Action } from "@/components/ui/action-result";
import type { KeyImportAnswer, KeyImportLine } from "@/lib/core/api/key-import";
import type { KeyCreated, KeyRotated, KeyRow } from "@/lib/core/api/keys";

/** The server actions that the pages of keys call. */
export type KeyActions = {
  create: Action<{ plan: string; customer?: string; name?: string }, KeyCreated>;
  update: Action<{ id: string; name?: string; plan?: string }, KeyRow>;
  rotate: Action<{ id: string; graceHours: number }, KeyRotated>;
  import: Action<{ rows: KeyImportLine[]; dryRun: boolean; movePlans: boolean }, KeyImportAnswer>;
  revoke: Action<{ id: string }, KeyRow>;
};

export type PlanChoice = { id: string; name: string };
