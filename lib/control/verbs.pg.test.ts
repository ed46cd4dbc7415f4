import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PERMISSIONS, type Permission, permissionsOfRole, ROLES } from "../core/access";
import { createTestControl, type TestControl } from "../testing/control";
import * as control from ".";
import type { Ctx } from "./context";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

const instant = "2030-01-01T00:00:00Z";
const amount = { rate: 1, per: "1m", burst: 1 };
const override = { client: "customer:x", rule: "x", limit: amount, owner: "O", reason: "r" };

/** Every verb that somebody calls, what it needs, and a call; its input need not get further than the door. */
const VERBS: Record<string, [Permission, (ctx: Ctx) => Promise<unknown>]> = {
  acknowledgeAlert: ["operate", (ctx) => control.acknowledgeAlert(ctx, { id: "x" })],
  approveChangeRequest: [
    "publish",
    (ctx) => control.approveChangeRequest(ctx, { id: "x", contentHash: "y" }),
  ],
  getApprovalSetting: ["read", (ctx) => control.getApprovalSetting(ctx)],
  getChangeRequest: ["read", (ctx) => control.getChangeRequest(ctx, { id: "x" })],
  listChangeRequests: ["read", (ctx) => control.listChangeRequests(ctx)],
  rejectChangeRequest: [
    "publish",
    (ctx) => control.rejectChangeRequest(ctx, { id: "x", reason: "r" }),
  ],
  setApprovalSetting: ["people", (ctx) => control.setApprovalSetting(ctx, { required: false })],
  withdrawChangeRequest: ["publish", (ctx) => control.withdrawChangeRequest(ctx, { id: "x" })],
  cancelSchedule: ["publish", (ctx) => control.cancelSchedule(ctx, { id: "x" })],
  diffDraftContent: ["draft", (ctx) => control.diffDraftContent(ctx, { content: {} })],
  endStop: ["rollback", (ctx) => control.endStop(ctx, { id: "x" })],
  findClients: ["read", (ctx) => control.findClients(ctx, { kind: "key", text: "x" })],
  getDirectoryBase: ["fleet", (ctx) => control.getDirectoryBase(ctx)],
  getDraftContent: ["read", (ctx) => control.getDraftContent(ctx)],
  getKey: ["read", (ctx) => control.getKey(ctx, { id: "x" })],
  listOverrideRules: ["read", (ctx) => control.listOverrideRules(ctx)],
  listSchedules: ["read", (ctx) => control.listSchedules(ctx)],
  listStops: ["read", (ctx) => control.listStops(ctx)],
  publishScheduled: ["publish", (ctx) => control.publishScheduled(ctx, { id: "x" })],
  putDraftContent: ["draft", (ctx) => control.putDraftContent(ctx, { content: {} })],
  rotateKey: ["keys", (ctx) => control.rotateKey(ctx, { id: "x", graceHours: 0 })],
  schedulePublish: [
    "publish",
    (ctx) => control.schedulePublish(ctx, { message: "m", baseVersion: 9, publishAt: instant }),
  ],
  stopEnforcing: ["relax", (ctx) => control.stopEnforcing(ctx, { rules: ["x"], reason: "r" })],
  exportKeys: ["read", async (ctx) => control.exportKeys(ctx)],
  importKeys: ["keys", (ctx) => control.importKeys(ctx, { rows: [] })],
  listPlanEffects: ["read", (ctx) => control.listPlanEffects(ctx)],
  getClient: ["read", (ctx) => control.getClient(ctx, { id: "key:x" })],
  resetClient: ["reset", (ctx) => control.resetClient(ctx, { id: "key:x", reason: "r" })],
  searchClients: ["read", (ctx) => control.searchClients(ctx, { q: "x" })],
  createApiToken: ["tokens", (ctx) => control.createApiToken(ctx, { name: "x", scopes: [] })],
  createKey: ["keys", (ctx) => control.createKey(ctx, { plan: "x" })],
  deleteDraftItem: ["draft", (ctx) => control.deleteDraftItem(ctx, { kind: "rule", id: "x" })],
  diffVersions: ["read", (ctx) => control.diffVersions(ctx, { from: 8, to: 9 })],
  discardDraft: ["draft", (ctx) => control.discardDraft(ctx)],
  dismissGateway: ["operate", (ctx) => control.dismissGateway(ctx, { id: "x", reason: "r" })],
  endOverride: ["keys", (ctx) => control.endOverride(ctx, { id: "x" })],
  exportHits: ["read", async (ctx) => control.exportHits(ctx, { id: "x", format: "csv" })],
  exportReport: ["read", async (ctx) => control.exportReport(ctx, { id: "x", format: "csv" })],
  exportAudit: ["read", async (ctx) => control.exportAudit(ctx, { format: "csv" })],
  findCountStart: ["read", (ctx) => control.findCountStart(ctx, { id: "x", mode: "shadow" })],
  getConvergence: ["read", (ctx) => control.getConvergence(ctx, { number: 9 })],
  getDirectory: ["fleet", (ctx) => control.getDirectory(ctx)],
  getDraft: ["read", (ctx) => control.getDraft(ctx)],
  getDraftItem: ["read", (ctx) => control.getDraftItem(ctx, { kind: "rule", id: "x" })],
  getLists: ["read", (ctx) => control.getLists(ctx)],
  getOverride: ["read", (ctx) => control.getOverride(ctx, { id: "x" })],
  getOverrideRestore: ["read", (ctx) => control.getOverrideRestore(ctx, { number: 9 })],
  getOverview: ["read", (ctx) => control.getOverview(ctx)],
  getRule: ["read", (ctx) => control.getRule(ctx, { id: "x" })],
  getRuleReport: ["read", (ctx) => control.getRuleReport(ctx, { id: "x" })],
  getSnapshot: ["fleet", (ctx) => control.getSnapshot(ctx)],
  getVersion: ["read", (ctx) => control.getVersion(ctx, { number: 9 })],
  invitePerson: ["people", (ctx) => control.invitePerson(ctx, { email: "x", role: "viewer" })],
  endSessions: ["people", (ctx) => control.endSessions(ctx, { id: "x" })],
  listPeople: ["people", (ctx) => control.listPeople(ctx)],
  listSessions: ["people", (ctx) => control.listSessions(ctx, { id: "x" })],
  makePasswordLink: ["people", (ctx) => control.makePasswordLink(ctx, { id: "x" })],
  removePerson: ["people", (ctx) => control.removePerson(ctx, { id: "x" })],
  updatePerson: ["people", (ctx) => control.updatePerson(ctx, { id: "x" })],
  withdrawInvitation: ["people", (ctx) => control.withdrawInvitation(ctx, { id: "x" })],
  diagnose: ["read", (ctx) => control.diagnose(ctx)],
  listAlerts: ["read", (ctx) => control.listAlerts(ctx)],
  listAllRules: ["read", (ctx) => control.listAllRules(ctx)],
  listApiTokens: ["tokens", (ctx) => control.listApiTokens(ctx)],
  listAudit: ["read", (ctx) => control.listAudit(ctx)],
  listGateways: ["read", (ctx) => control.listGateways(ctx)],
  listHits: ["read", (ctx) => control.listHits(ctx, { id: "x" })],
  listKeys: ["read", (ctx) => control.listKeys(ctx)],
  listOverrides: ["read", (ctx) => control.listOverrides(ctx)],
  listPlanNames: ["read", (ctx) => control.listPlanNames(ctx)],
  listPlans: ["read", (ctx) => control.listPlans(ctx)],
  listRules: ["read", (ctx) => control.listRules(ctx)],
  listVersions: ["read", (ctx) => control.listVersions(ctx)],
  publish: ["publish", (ctx) => control.publish(ctx, { message: "m", baseVersion: 9 })],
  putDraftItem: ["draft", (ctx) => control.putDraftItem(ctx, { kind: "rule", id: "x", body: {} })],
  putOverride: [
    "raise",
    (ctx) => control.putOverride(ctx, { id: "x", ...override, expiresAt: instant }),
  ],
  raiseEpoch: ["publish", (ctx) => control.raiseEpoch(ctx, { seen: { epoch: 1, version: 1 } })],
  rebaseDraft: ["draft", (ctx) => control.rebaseDraft(ctx)],
  reportGateway: ["fleet", (ctx) => control.reportGateway(ctx, { id: "x" })],
  revertDraftItem: ["draft", (ctx) => control.revertDraftItem(ctx, { kind: "rule", id: "x" })],
  revokeApiToken: ["tokens", (ctx) => control.revokeApiToken(ctx, { id: "x" })],
  revokeKey: ["keys", (ctx) => control.revokeKey(ctx, { id: "x" })],
  rollbackRule: ["rollback", (ctx) => control.rollbackRule(ctx, { id: "x", revision: 9 })],
  rollbackVersion: ["rollback", (ctx) => control.rollbackVersion(ctx, { number: 9 })],
  setRuleMode: [
    "publish",
    (ctx) => control.setRuleMode(ctx, { id: "x", mode: "enforce", reason: "r" }),
  ],
  "setRuleMode to shadow": [
    "relax",
    (ctx) => control.setRuleMode(ctx, { id: "x", mode: "shadow", reason: "r" }),
  ],
  updateKey: ["keys", (ctx) => control.updateKey(ctx, { id: "x" })],
  tryCandidate: ["publish", (ctx) => control.tryCandidate(ctx, { id: "x", reason: "r" })],
  setCandidateShare: [
    "relax",
    (ctx) => control.setCandidateShare(ctx, { id: "x", share: 0, reason: "r" }),
  ],
  promoteCandidate: ["publish", (ctx) => control.promoteCandidate(ctx, { id: "x", reason: "r" })],
  dropCandidate: ["relax", (ctx) => control.dropCandidate(ctx, { id: "x" })],
  getCandidatePreview: ["read", (ctx) => control.getCandidatePreview(ctx, { id: "x" })],
  getCandidateReport: ["read", (ctx) => control.getCandidateReport(ctx, { id: "x" })],
  startRamp: ["publish", (ctx) => control.startRamp(ctx, { id: "x", steps: [], reason: "r" })],
  advanceRamp: ["publish", (ctx) => control.advanceRamp(ctx, { id: "x" })],
  getRamp: ["read", (ctx) => control.getRamp(ctx, { id: "x" })],
  pauseRamp: ["relax", (ctx) => control.pauseRamp(ctx, { id: "x", reason: "r" })],
  resumeRamp: ["publish", (ctx) => control.resumeRamp(ctx, { id: "x", reason: "r" })],
  cancelRamp: ["relax", (ctx) => control.cancelRamp(ctx, { id: "x" })],
  createWebhook: [
    "webhooks",
    (ctx) => control.createWebhook(ctx, { name: "x", url: "https://198.51.100.1/x" }),
  ],
  updateWebhook: ["webhooks", (ctx) => control.updateWebhook(ctx, { id: "x" })],
  deleteWebhook: ["webhooks", (ctx) => control.deleteWebhook(ctx, { id: "x" })],
  listWebhooks: ["webhooks", (ctx) => control.listWebhooks(ctx)],
  testWebhook: ["webhooks", (ctx) => control.testWebhook(ctx, { id: "x" })],
  redeliverWebhook: [
    "webhooks",
    (ctx) => control.redeliverWebhook(ctx, { id: "x", delivery: "x" }),
  ],
  rotateWebhookSecret: ["webhooks", (ctx) => control.rotateWebhookSecret(ctx, { id: "x" })],
  getEnforcePreview: ["read", (ctx) => control.getEnforcePreview(ctx, { id: "x" })],
  getEnforcement: ["read", (ctx) => control.getEnforcement(ctx, { id: "x" })],
  findEnforcement: ["read", (ctx) => control.findEnforcement(ctx, { id: "x" })],
  setGuardrail: [
    "publish",
    (ctx) => control.setGuardrail(ctx, { id: "x", guardrail: {}, reason: "r" }),
  ],
  endEnforcementWatch: [
    "publish",
    (ctx) => control.endEnforcementWatch(ctx, { id: "x", reason: "r" }),
  ],
  undoEnforcement: ["rollback", (ctx) => control.undoEnforcement(ctx, { id: "x" })],
  getTape: ["read", (ctx) => control.getTape(ctx)],
  createBacktest: [
    "draft",
    (ctx) => control.createBacktest(ctx, { source: { kind: "log", log: "x" } }),
  ],
  getBacktest: ["read", (ctx) => control.getBacktest(ctx, { id: "x" })],
  getBacktestDemand: ["read", (ctx) => control.getBacktestDemand(ctx, { id: "x" })],
  listBacktests: ["read", (ctx) => control.listBacktests(ctx)],
  cancelBacktest: ["draft", (ctx) => control.cancelBacktest(ctx, { id: "x" })],
  deleteBacktest: ["draft", (ctx) => control.deleteBacktest(ctx, { id: "x" })],
  listBacktestLogs: ["read", (ctx) => control.listBacktestLogs(ctx)],
  deleteBacktestLog: ["draft", (ctx) => control.deleteBacktestLog(ctx, { id: "x" })],
  beginLog: ["draft", (ctx) => control.beginLog(ctx, { name: "x" })],
  addLogPart: [
    "draft",
    (ctx) => control.addLogPart(ctx, { id: "x", n: 0, bytes: new Uint8Array(1) }),
  ],
  endLog: ["draft", (ctx) => control.endLog(ctx, { id: "x" })],
  uploadLog: ["draft", (ctx) => control.uploadLog(ctx, { name: "x", body: null })],
};

/** What no role is asked for: who calls is found out, or nobody calls it but the processes. */
const WITHOUT_ROLE = [
  "ApprovalDue",
  "acceptInvitation",
  "changePassword",
  "findInvitation",
  "finishSso",
  "ssoName",
  "startSso",
  "authenticateToken",
  "createControl",
  "ensureAdmin",
  "ensureInstallation",
  "getHealth",
  "getSession",
  "refusalsOf",
  "runIdempotent",
  "sessionActor",
  "signIn",
  "signOut",
  "withActor",
];

test("no verb is missing in this table", () => {
  const exported = Object.entries(control).flatMap(([name, value]) =>
    typeof value === "function" ? [name] : [],
  );
  const known = [...Object.keys(VERBS).filter((name) => !name.includes(" ")), ...WITHOUT_ROLE];
  expect(exported.sort()).toEqual(known.sort());
});

describe.each(Object.entries(VERBS))("%s", (_, [permission, call]) => {
  test.each(ROLES)("by a %s", async (role) => {
    const isRefused = await isForbidden(call(world.as({ type: "user", id: "u", name: "U", role })));
    expect(isRefused).toBe(!permissionsOfRole(role).includes(permission));
  });

  test("by a token of just its scope, and not by one of all others that do not bring it", async () => {
    const token = { type: "token", id: "t", name: "T" } as const;
    const scope = permission === "fleet" ? "gateway" : permission;
    expect(await isForbidden(call(world.as({ ...token, scopes: [scope] })))).toBe(false);
    const brings = permission === "relax" || permission === "rollback" ? ["publish"] : [];
    const others = PERMISSIONS.flatMap((other) =>
      other === "fleet" || other === permission || brings.includes(other) || other === "keys"
        ? []
        : [other],
    );
    expect(await isForbidden(call(world.as({ ...token, scopes: others })))).toBe(true);
  });
});

async function isForbidden(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (error instanceof Error && "code" in error) return error.code === "forbidden";
    throw error;
  }
}
