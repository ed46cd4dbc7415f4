import type { CandidateActions, RampActions } from "@/components/candidate/candidate-actions-data";
import { rollbackVersionAction } from "./actions";
import {
  cancelRampAction,
  dropCandidateAction,
  pauseRampAction,
  promoteCandidateAction,
  resumeRampAction,
  setShareAction,
  startRampAction,
} from "./candidate-server-actions";

export const rampActions: RampActions = {
  pauseRamp: pauseRampAction,
  resumeRamp: resumeRampAction,
  cancelRamp: cancelRampAction,
};

export const candidateActions: CandidateActions = {
  ...rampActions,
  setShare: setShareAction,
  promote: promoteCandidateAction,
  drop: dropCandidateAction,
  startRamp: startRampAction,
  rollbackVersion: rollbackVersionAction,
};
