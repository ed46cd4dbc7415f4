export { acceptInvitation, findInvitation } from "./accept-invitation";
export { acknowledgeAlert } from "./acknowledge-alert";
export { ApprovalDue } from "./approval-due";
export { getApprovalSetting, setApprovalSetting } from "./approval-setting";
export { authenticateToken } from "./authenticate-token";
export { cancelSchedule } from "./cancel-schedule";
export { endEnforcementWatch, setGuardrail } from "./change-enforcement";
export { changePassword } from "./change-password";
export {
  type Actor,
  type Control,
  type ControlConfig,
  type Ctx,
  SYSTEM,
  withActor,
} from "./context";
export { createApiToken } from "./create-api-token";
export { createControl } from "./create-control";
export { createKey } from "./create-key";
export { createWebhook } from "./create-webhook";
export {
  approveChangeRequest,
  rejectChangeRequest,
  withdrawChangeRequest,
} from "./decide-change-request";
export { deleteDraftItem } from "./delete-draft-item";
export { deleteWebhook } from "./delete-webhook";
export { diffVersions } from "./diff-versions";
export { discardDraft } from "./discard-draft";
export { dismissGateway } from "./dismiss-gateway";
export { diffDraftContent, getDraftContent, putDraftContent } from "./draft-content";
export { dropCandidate } from "./drop-candidate";
export { endOverride } from "./end-override";
export { endStop } from "./end-stop";
export { ensureAdmin } from "./ensure-admin";
export { ensureInstallation } from "./ensure-installation";
export { exportAudit } from "./export-audit";
export { exportKeys } from "./export-keys";
export { FindClientsSchema, findClients } from "./find-clients";
export { findCountStart } from "./find-count-start";
export { getCandidateReport } from "./get-candidate-report";
export { getClient } from "./get-client";
export { getConvergence } from "./get-convergence";
export { getDirectory } from "./get-directory";
export { getDirectoryBase } from "./get-directory-base";
export { getDraft } from "./get-draft";
export { getDraftItem } from "./get-draft-item";
export { getEnforcePreview } from "./get-enforce-preview";
export { findEnforcement, getEnforcement } from "./get-enforcement";
export { getHealth } from "./get-health";
export { getKey } from "./get-key";
export { getLists } from "./get-lists";
export { getOverride } from "./get-override";
export { getOverview } from "./get-overview";
export { getRule } from "./get-rule";
export { getRuleReport } from "./get-rule-report";
export { getSession } from "./get-session";
export { getSnapshot } from "./get-snapshot";
export { getTape } from "./get-tape";
export { getVersion } from "./get-version";
export { runIdempotent } from "./idempotent-request";
export { importKeys } from "./import-keys";
export { invitePerson } from "./invite-person";
export { listAlerts } from "./list-alerts";
export { listApiTokens } from "./list-api-tokens";
export { listAudit } from "./list-audit";
export { getChangeRequest, listChangeRequests } from "./list-change-requests";
export { listGateways } from "./list-gateways";
export { listHits } from "./list-hits";
export { listKeys } from "./list-keys";
export { listOverrideRules } from "./list-override-rules";
export { listOverrides } from "./list-overrides";
export { listPeople } from "./list-people";
export { listPlanEffects } from "./list-plan-effects";
export { listPlans } from "./list-plans";
export { listAllRules, listRules } from "./list-rules";
export { listSchedules } from "./list-schedules";
export { listStops } from "./list-stops";
export { listVersions } from "./list-versions";
export { listWebhooks } from "./list-webhooks";
export { makePasswordLink } from "./make-password-link";
export { refusalsOf } from "./permission";
export { endSessions, listSessions } from "./person-sessions";
export { promoteCandidate } from "./promote-candidate";
export { publish } from "./publish";
export { publishScheduled } from "./publish-scheduled";
export { putDraftItem } from "./put-draft-item";
export { putOverride } from "./put-override";
export { raiseEpoch } from "./raise-epoch";
export { rebaseDraft } from "./rebase-draft";
export { redeliverWebhook } from "./redeliver-webhook";
export { removePerson } from "./remove-person";
export { reportGateway } from "./report-gateway";
export { resetClient } from "./reset-client";
export { getOverrideRestore } from "./restore-overrides";
export { revertDraftItem } from "./revert-draft-item";
export { revokeApiToken } from "./revoke-api-token";
export { revokeKey } from "./revoke-key";
export { rollbackRule } from "./rollback-rule";
export { rollbackVersion } from "./rollback-version";
export { rotateKey } from "./rotate-key";
export { rotateWebhookSecret } from "./rotate-webhook-secret";
export { schedulePublish } from "./schedule-publish";
export { searchClients } from "./search-clients";
export { type Session, sessionActor } from "./session";
export { setCandidateShare } from "./set-candidate-share";
export type { SetCookie } from "./set-cookie";
export { setRuleMode } from "./set-rule-mode";
export { signIn } from "./sign-in";
export { signOut } from "./sign-out";
export { finishSso, ssoName, startSso } from "./sso";
export { stopEnforcing } from "./stop-enforcing";
export { testWebhook } from "./test-webhook";
export { tryCandidate } from "./try-candidate";
export { undoEnforcement } from "./undo-enforcement";
export { updateKey } from "./update-key";
export { updatePerson } from "./update-person";
export { updateWebhook } from "./update-webhook";
export { withdrawInvitation } from "./withdraw-invitation";
