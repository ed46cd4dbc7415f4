import type { Action } from "@/components/ui/action-result";
import type { Stop, StopMade } from "@/lib/core/api/stops";

export type StopEnforcing = Action<
  { rules: "all" | string[]; reason: string; minutes: number; expectVersion?: number },
  StopMade
>;
export type EndStop = Action<{ id: string; reason?: string }, Stop>;
