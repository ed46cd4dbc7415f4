import type { RollbackVersion } from "@/components/rules/published-version";
import type { Action } from "@/components/ui/action-result";
import type { Published } from "@/lib/core/api/publish";
import type { Ramp } from "@/lib/core/api/ramps";
import type { Share } from "@/lib/core/candidate";
import type { Guardrail } from "@/lib/core/guardrail";

/** What a person says with a change that makes something stricter. */
export type Acknowledged = {
  reason: string;
  acknowledgeGaps?: boolean;
  acknowledgeRadius?: boolean;
  guardrail?: Guardrail | null;
};

type OfRule = { id: string; expectVersion?: number };

export type TryCandidate = Action<
  OfRule & { rule: Record<string, unknown>; share: Share; reason: string },
  Published
>;

/** The server actions that the dialogs of a candidate call. */
export type CandidateActions = {
  setShare: Action<OfRule & Acknowledged & { share: Share }, Published>;
  promote: Action<OfRule & Acknowledged, Published>;
  drop: Action<OfRule & { reason?: string }, Published>;
  rollbackVersion: RollbackVersion;
  startRamp: Action<OfRule & Acknowledged & { steps: { share: Share; hold?: string }[] }, Ramp>;
} & RampActions;

export type RampActions = {
  pauseRamp: Action<{ id: string; reason: string }, Ramp>;
  resumeRamp: Action<
    { id: string; reason: string; acknowledgeGaps?: boolean; acknowledgeRadius?: boolean },
    Ramp
  >;
  cancelRamp: Action<{ id: string; reason?: string }, Ramp>;
};

/** The candidate that a dialog is about, as the page showed it. */
export type CandidateSubject = {
  /** The rule's. */
  id: string;
  name: string;
  sentence: string;
  share: Share;
  shareWords: string;
  isShared: boolean;
};
