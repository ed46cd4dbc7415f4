import type { Action } from "@/components/ui/action-result";
import type { DraftWriteResult } from "@/lib/core/api/draft";

/** The draft's save of the object, 0 when it is not in the draft; the version that it was read from. */
type Seen = { edit: number; baseVersion: number };

export type SaveSettings = Action<{ body: unknown } & Seen, DraftWriteResult>;
export type SaveRoutes = Action<{ body: string[] } & Seen, DraftWriteResult>;
export type RevertSettings = Action<{ kind: "settings" | "routes"; id: string }, unknown>;

/** Settings or routes as the caller's draft has them. */
export type Drafted = Seen & {
  value: unknown;
  /** What the draft does to them. */
  changes: readonly { sentence: string; loud: boolean }[];
};
