import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  endEnforcementWatch,
  endStop,
  getEnforcement,
  getRule,
  getVersion,
  listAlerts,
  listAudit,
  rollbackRule,
  setCandidateShare,
  setGuardrail,
  setRuleMode,
  stopEnforcing,
  tryCandidate,
  undoEnforcement,
} from "@/lib/control";
import { rampMayAdvance } from "@/lib/control/ramp-may-advance";
import { type Guardrail, GuardrailSchema } from "@/lib/core/guardrail";
import {
  createTestControl,
  EDITOR,
  PUBLISHER,
  type TestControl,
  VIEWER,
} from "@/lib/testing/control";
import { guardedWorld } from "@/lib/testing/enforcements";
import { failureOf } from "@/lib/testing/failure";
import { tokenBucketRule } from "@/lib/testing/rules";

let world: TestControl;
let guarded: ReturnType<typeof guardedWorld>;
let made = 0;
/** A rule of its own for each test. */
let id = "";

beforeAll(async () => {
  world = await createTestControl();
  guarded = guardedWorld(world);
});
afterAll(() => world.close());
beforeEach(() => {
  made += 1;
  id = `rule-${made}`;
});

const rail = (fields: Partial<Guardrail> = {}) => GuardrailSchema.parse(fields);
const shadowed = (fields = {}) => tokenBucketRule({ id, mode: "shadow", ...fields });
const fare = () => getEnforcement(world.ctx, { id });
const alertsOf = async (kind: string) => {
  const { items } = await listAlerts(world.ctx, { open: true });
  return items.filter((alert) => alert.kind === kind && alert.subject === id);
};
const limited = (rate: number) => ({ default: { rate, per: "1m", burst: rate } });

/** 1,000 requests in shadow of which 4 would be refused, then enforced. */
async function enforced(guardrail?: Guardrail | null): Promise<number> {
  await guarded.publishRules([shadowed()]);
  await guarded.report(id, [{ requests: 1000, rejections: 4 }], { mode: "shadow" });
  const { version } = await guarded.enforce(id, guardrail);
  await guarded.report(id, []);
  return version;
}

/** Crossed for as long as it takes by default. */
async function crossedLongEnough(): Promise<void> {
  await guarded.pass();
  await guarded.age(id, 31);
  await guarded.pass();
}

describe("what crosses its guardrail", () => {
  test("is undone by a version of its own that leaves the rest of the live one, and says what was measured", async () => {
    const version = await enforced();
    await guarded.publishRules([tokenBucketRule({ id: `${id}-other`, mode: "shadow" })]);
    await guarded.report(id, [
      { requests: 900, rejections: 0 },
      { plan: "enterprise", requests: 100, rejections: 7 },
    ]);
    await guarded.pass();
    expect(await fare()).toMatchObject({ state: "watching", judgement: { verdict: "crossing" } });
    expect(await guarded.modeOf(id)).toBe("enforce");
    await guarded.age(id, 31);
    await guarded.pass();
    expect(await guarded.modeOf(id)).toBe("shadow");
    expect(await guarded.modeOf(`${id}-other`)).toBe("shadow");
    const fared = await fare();
    expect(fared).toMatchObject({
      version,
      state: "undone",
      undoTo: "shadow",
      change: "shadow → enforce",
      by: { id: "dana" },
      predicted: { share: 0.004, requests: 1000, rejections: 4 },
      actual: { share: 0.007, requests: 1000, rejections: 7 },
      ratio: 1.75,
    });
    const undone = await getVersion(world.ctx, { number: fared.undoneBy ?? 0 });
    expect(undone).toMatchObject({ kind: "rollback", actor: { id: "guardrail" } });
    const why = "7 requests rejected of protected plan enterprise";
    const { items } = await listAudit(world.ctx, { action: "guardrail.undo" });
    expect(items[0]).toMatchObject({
      actor: { type: "system", id: "guardrail" },
      version: fared.undoneBy,
      sentence: `Guardrail took back what Dana enforced of rule ${id} with version ${version} (shadow → enforce): ${why}; it is back to shadow (version ${fared.undoneBy})`,
    });
    expect((await alertsOf("guardrail-undone"))[0]).toMatchObject({
      severity: "critical",
      message: `Rule ${id} is back to shadow by its guardrail, with version ${fared.undoneBy}: ${why} (0.7 % rejected since version ${version}, 0.4 % predicted)`,
    });
    expect(await rampMayAdvance(world.control.db, id)).toMatchObject({
      mayAdvance: false,
    });
    // The alert is settled once somebody takes the rule on.
    await guarded.enforce(id);
    expect(await alertsOf("guardrail-undone")).toEqual([]);
  });

  test("is undone once, however many workers look", async () => {
    const version = await enforced();
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await guarded.pass();
    await guarded.age(id, 31);
    await Promise.all(Array.from({ length: 6 }, () => guarded.pass()));
    expect(await fare()).toMatchObject({ state: "undone", undoneBy: version + 1 });
    expect((await getRule(world.ctx, { id })).version).toBe(version + 1);
  });

  test("is undone by the next worker when the first one dies before it could, or while it looks", async () => {
    await enforced();
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await guarded.pass();
    await guarded.age(id, 31);
    const dying = new Client({ connectionString: world.database.url });
    await dying.connect();
    await dying.query("BEGIN");
    await dying.query("SELECT id FROM enforcement WHERE rule_id = $1 FOR UPDATE", [id]);
    await guarded.pass();
    expect(await guarded.modeOf(id)).toBe("enforce");
    await dying.end();
    await guarded.pass();
    expect(await guarded.modeOf(id)).toBe("shadow");
  });

  test("for less than was set is not undone, and starts anew the next time", async () => {
    await enforced(rail({ maxRejectedShare: 0.5, timesPredicted: null }));
    await guarded.report(id, [{ requests: 200, rejections: 150 }]);
    await guarded.pass();
    await guarded.age(id, 20);
    await guarded.report(id, [{ requests: 200, rejections: 0 }]);
    await guarded.pass();
    expect((await fare()).judgement).toMatchObject({ verdict: "within", crossedSince: null });
    await guarded.age(id, 20);
    await guarded.report(id, [{ requests: 200, rejections: 150 }]);
    await guarded.pass();
    expect(await fare()).toMatchObject({ state: "watching", judgement: { verdict: "crossing" } });
  });

  test("far above the prediction is undone, near it is not", async () => {
    await enforced();
    await guarded.report(id, [{ requests: 1000, rejections: 12 }]);
    await crossedLongEnough();
    expect(await fare()).toMatchObject({ state: "watching", judgement: { verdict: "within" } });
    await guarded.report(id, [{ requests: 1000, rejections: 13 }]);
    await crossedLongEnough();
    expect((await fare()).outcome).toMatch(
      /1\.3 % rejected \(13 of 1000 in \d+ s\), more than 3 × the predicted 0\.4 %/,
    );
  });

  test("is only held where that is what was wanted, until somebody says otherwise", async () => {
    await enforced(rail({ action: "hold" }));
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await crossedLongEnough();
    expect(await fare()).toMatchObject({ state: "held", heldFor: "crossing" });
    expect(await guarded.modeOf(id)).toBe("enforce");
    expect(await alertsOf("guardrail-held")).toHaveLength(1);
    await guarded.report(id, [{ requests: 1000, rejections: 0 }]);
    await guarded.pass();
    expect((await fare()).state).toBe("held");
    expect((await fare()).judgement?.rejectionsByPlan).toEqual([
      { plan: "enterprise", rejections: 1 },
    ]);
    await setGuardrail(world.ctx, { id, guardrail: rail(), reason: "they were told" });
    await guarded.report(id, [{ requests: 1000, rejections: 0 }]);
    await guarded.pass();
    expect(await fare()).toMatchObject({
      state: "watching",
      judgement: { verdict: "within", rejectionsByPlan: [] },
      actual: { rejections: 1 },
    });
    expect(await alertsOf("guardrail-held")).toEqual([]);
  });

  test("of a share goes back to the share before", async () => {
    await guarded.publishRules([tokenBucketRule({ id })]);
    const { revision } = await getRule(world.ctx, { id });
    const tried = tokenBucketRule({ id, limit: limited(10) });
    await tryCandidate(world.ctx, { id, rule: tried, reason: "less" });
    await setCandidateShare(world.ctx, { id, share: 10, reason: "some", acknowledgeGaps: true });
    await setCandidateShare(world.ctx, { id, share: 50, reason: "more", acknowledgeGaps: true });
    await guarded.reportOf(id, [{ plan: "enterprise", requests: 10, rejections: 3 }], {
      lane: "candidate",
      revision: revision + 1,
    });
    await crossedLongEnough();
    expect(await fare()).toMatchObject({
      lane: "candidate",
      state: "undone",
      undoTo: "the candidate for 10 % of clients",
    });
    expect((await getRule(world.ctx, { id })).candidate).toMatchObject({ share: 10 });
  });
});

describe("a rule that was changed since", () => {
  test("is held and told, not undone", async () => {
    const version = await enforced();
    await guarded.publishRules([tokenBucketRule({ id, limit: limited(600) })]);
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await crossedLongEnough();
    expect(await guarded.modeOf(id)).toBe("enforce");
    expect(await fare()).toMatchObject({
      version,
      state: "held",
      heldFor: "crossing",
      changedSince: true,
    });
    expect((await alertsOf("guardrail-held"))[0]?.message).toBe(
      `Rule ${id} crosses its guardrail since version ${version} and stays enforced: 1 request rejected of protected plan enterprise; the rule was changed since version ${version}, so that change is not undone`,
    );
  });

  test("to something stricter is watched as that; undone, what is live again is watched on", async () => {
    const version = await enforced();
    const { revision } = await getRule(world.ctx, { id });
    await guarded.publishRules([tokenBucketRule({ id, limit: limited(6) })]);
    expect(await fare()).toMatchObject({ version: version + 1, state: "watching", lane: "live" });
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 9 }]);
    await crossedLongEnough();
    expect((await fare()).state).toBe("undone");
    expect(await getRule(world.ctx, { id })).toMatchObject({ mode: "enforce", revision });
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await crossedLongEnough();
    expect(await guarded.modeOf(id)).toBe("shadow");
  });

  test("between the look and the undo is held, and one whose bounds were changed between is left", async () => {
    await enforced();
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await guarded.pass();
    const toUndo = async () => {
      await world.control.db.$executeRaw`
        UPDATE enforcement SET judgement = judgement || '{"verdict": "undo"}' WHERE rule_id = ${id}`;
      return (await fare()).id;
    };
    const first = await toUndo();
    await setGuardrail(world.ctx, { id, guardrail: rail(), reason: "they were told" });
    expect(await undoEnforcement(world.ctx, { id: first })).toEqual({ state: "gone" });
    const second = await toUndo();
    await guarded.publishRules([tokenBucketRule({ id, limit: limited(600) })]);
    expect(await undoEnforcement(world.ctx, { id: second })).toMatchObject({ state: "held" });
    expect(await fare()).toMatchObject({ state: "held", heldFor: "crossing" });
    expect(await alertsOf("guardrail-held")).toHaveLength(1);
    expect((await getRule(world.ctx, { id })).rule.limit).toMatchObject(limited(600));
  });

  test("while the guardrail acts ends in one of both ways back, never in two halves", async () => {
    for (let round = 0; round < 3; round += 1) {
      id = `${id}-${round}`;
      const version = await enforced();
      await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
      await guarded.pass();
      await guarded.age(id, 31);
      const [, person] = await Promise.allSettled([
        guarded.pass(),
        rollbackRule(world.ctx, { id, revision: 1, expectVersion: version }),
      ]);
      expect(await guarded.modeOf(id)).toBe("shadow");
      expect((await getRule(world.ctx, { id })).version).toBe(version + 1);
      expect((await fare()).state).toBe(person.status === "fulfilled" ? "ended" : "undone");
    }
  });
});

describe("a stop in force", () => {
  test("ends the watch with the rule's enforcement, and its end begins it again by the same bounds", async () => {
    await enforced(rail({ maxRejectedShare: 0.25 }));
    const { stop } = await stopEnforcing(world.ctx, {
      rules: [id],
      reason: "a storm",
      minutes: 30,
    });
    expect(await fare()).toMatchObject({
      state: "ended",
      outcome: `version ${stop.version} took it back`,
    });
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await crossedLongEnough();
    const { endedVersion } = await endStop(world.ctx, { id: stop.id });
    expect(await fare()).toMatchObject({
      version: endedVersion,
      state: "watching",
      guardrail: { maxRejectedShare: 0.25 },
      predicted: { share: 0.004 },
      actual: { requests: 0 },
    });
  });

  test("of another rule goes on when a guardrail acts", async () => {
    const other = `${id}-other`;
    await guarded.publishRules([tokenBucketRule({ id: other })]);
    await enforced();
    const { stop } = await stopEnforcing(world.ctx, {
      rules: [other],
      reason: "a storm",
      minutes: 30,
    });
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await crossedLongEnough();
    expect([await guarded.modeOf(id), await guarded.modeOf(other)]).toEqual(["shadow", "shadow"]);
    await endStop(world.ctx, { id: stop.id });
    expect([await guarded.modeOf(id), await guarded.modeOf(other)]).toEqual(["shadow", "enforce"]);
  });
});

describe("missing data", () => {
  test("holds and alerts, never passes, and is not counted as watched", async () => {
    await enforced(rail({ watchSeconds: 60 }));
    await guarded.report(id, [], { gateway: "gw-2" });
    await guarded.report(id, [{ requests: 1000, rejections: 1 }]);
    await guarded.pass();
    const quiet = { data: { lastSeenAt: new Date(Date.now() - 60_000) }, where: { id: "gw-2" } };
    await world.control.db.gateway.update(quiet);
    for (let look = 0; look < 8; look += 1) {
      await guarded.age(id, 10);
      await guarded.report(id, [{ requests: 1000, rejections: 1 }]);
      await guarded.pass();
    }
    expect(await fare()).toMatchObject({
      state: "held",
      heldFor: "data",
      judgement: { verdict: "hold", why: ["gateway gw-2 silent"] },
    });
    expect((await fare()).watchedSeconds).toBeLessThan(15);
    expect(await alertsOf("guardrail-held")).toHaveLength(1);
    expect(await rampMayAdvance(world.control.db, id)).toMatchObject({
      mayAdvance: false,
      why: ["gateway gw-2 silent"],
    });
    await guarded.report(id, [], { gateway: "gw-2" });
    await guarded.pass();
    expect((await fare()).state).toBe("watching");
    expect(await alertsOf("guardrail-held")).toEqual([]);
    for (let look = 0; look < 8; look += 1) {
      await guarded.age(id, 10);
      await guarded.report(id, [], { gateway: "gw-2" });
      await guarded.report(id, [{ requests: 1000, rejections: 1 }]);
      await guarded.pass();
    }
    expect(await fare()).toMatchObject({ state: "passed", ratio: expect.closeTo(0.25) });
  });

  test("of one gateway is no excuse for harm that is seen on another", async () => {
    await enforced();
    await guarded.report(id, [], { gateway: "gw-2" });
    const quiet = { data: { lastSeenAt: new Date(Date.now() - 60_000) }, where: { id: "gw-2" } };
    await world.control.db.gateway.update(quiet);
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await crossedLongEnough();
    expect((await fare()).state).toBe("undone");
    await guarded.report(id, [], { gateway: "gw-2" });
  });

  test("of all gateways undoes nothing, although a bound was crossed when they were last heard", async () => {
    await enforced();
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await guarded.pass();
    await guarded.age(id, 60);
    await world.control.db.$executeRaw`
      UPDATE ingested_batch SET ingested_at = ingested_at - interval '40 seconds'`;
    await world.control.db.gateway.deleteMany({ where: { id: "gw-2" } });
    await guarded.pass();
    expect(await fare()).toMatchObject({ state: "held", heldFor: "data" });
    await guarded.report(id, [{ requests: 1, rejections: 0 }]);
    await guarded.pass();
    expect((await fare()).state).toBe("undone");
  });

  test("of counts that gateways dropped holds as well", async () => {
    await enforced();
    const lost = (droppedRequests: number) =>
      world.control.db.gatewayMinute.updateMany({ data: { droppedRequests } });
    await guarded.report(id, [{ requests: 1000, rejections: 0 }]);
    await lost(1000);
    await guarded.pass();
    expect(await fare()).toMatchObject({ state: "held", heldFor: "data" });
    expect((await fare()).judgement?.why[0]).toMatch(
      /^[\d.]+ % of the last counts were dropped, at most 1 % allowed$/,
    );
    await lost(0);
    await guarded.pass();
    expect((await fare()).state).toBe("watching");
  });

  test("a rule that nothing matches is waited for, without an alarm", async () => {
    await enforced(rail({ watchSeconds: 1 }));
    await guarded.age(id, 60);
    await guarded.pass();
    expect(await fare()).toMatchObject({
      state: "watching",
      judgement: { verdict: "waiting", why: ["no request counted, 100 needed"] },
    });
  });
});

describe("the bounds", () => {
  test("are those of the change, else of the settings; none may be wanted", async () => {
    await enforced();
    expect((await fare()).guardrail).toEqual(rail());
    id = `${id}-none`;
    await enforced(null);
    expect(await fare()).toMatchObject({
      guardrail: null,
      state: "ended",
      outcome: "no guardrail was wanted",
      predicted: { share: 0.004 },
    });
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 10 }]);
    await crossedLongEnough();
    expect(await guarded.modeOf(id)).toBe("enforce");
    expect((await fare()).actual).toMatchObject({ requests: 10, rejections: 10, share: 1 });
  });

  test("are changed, and the watch is ended, by who may publish; both are audited", async () => {
    const version = await enforced();
    const bounds = { id, guardrail: rail({ forSeconds: 5 }), reason: "sooner" };
    for (const actor of [EDITOR, VIEWER]) {
      await failureOf(setGuardrail(world.as(actor), bounds), "forbidden");
      await failureOf(endEnforcementWatch(world.as(actor), { id, reason: "no" }), "forbidden");
    }
    const pat = world.as(PUBLISHER);
    expect((await setGuardrail(pat, bounds)).guardrail).toEqual(bounds.guardrail);
    expect(await endEnforcementWatch(pat, { id, reason: "seen enough" })).toMatchObject({
      state: "ended",
      endedBy: { name: "Pat" },
      outcome: "Pat ended the watch: seen enough",
    });
    const { items } = await listAudit(world.ctx, { kind: "rule", object: id });
    expect(items.slice(0, 2).map(({ sentence }) => sentence)).toEqual([
      `Pat ended the watch of rule ${id}, enforced with version ${version}`,
      `Pat set the guardrail of rule ${id}, enforced with version ${version}`,
    ]);
    await failureOf(endEnforcementWatch(pat, { id, reason: "again" }), "conflict");
    await guarded.report(id, [{ plan: "enterprise", requests: 10, rejections: 1 }]);
    await crossedLongEnough();
    expect(await guarded.modeOf(id)).toBe("enforce");
    await setRuleMode(world.ctx, { id, mode: "shadow", reason: "back" });
    expect((await failureOf(setGuardrail(pat, bounds), "conflict")).message).toContain(
      "is enforced",
    );
    await failureOf(getEnforcement(world.ctx, { id: "nobody" }), "not_found");
  });

  test("what only allows more is not watched", async () => {
    await guarded.publishRules([tokenBucketRule({ id })]);
    const { version } = await fare();
    await guarded.publishRules([tokenBucketRule({ id, limit: limited(600) })]);
    expect((await fare()).version).toBe(version);
  });
});

test("missing data of one gateway is told for a few rules, not for each that is watched", async () => {
  const { db } = world.control;
  await db.enforcement.updateMany({ data: { state: "ended" } });
  await db.alert.deleteMany();
  const rules = Array.from({ length: 8 }, (_, i) =>
    tokenBucketRule({ id: `${id}-${i}`, match: { routes: [`/v1/few/${i}`] } }),
  );
  await guarded.publishRules(rules);
  await guarded.report(`${id}-0`, [], { gateway: "gw-2" });
  await guarded.report(`${id}-0`, []);
  const quiet = { data: { lastSeenAt: new Date(Date.now() - 60_000) }, where: { id: "gw-2" } };
  await db.gateway.update(quiet);
  await guarded.pass();
  for (const rule of rules) await guarded.age(rule.id, 25);
  await guarded.pass();
  const { items } = await listAlerts(world.ctx, { open: true });
  expect(items.filter(({ kind }) => kind === "guardrail-held")).toHaveLength(5);
  for (const rule of rules)
    expect(await getEnforcement(world.ctx, { id: rule.id })).toMatchObject({ heldFor: "data" });
  await guarded.report(`${id}-0`, [], { gateway: "gw-2" });
  await guarded.pass();
  const open = await listAlerts(world.ctx, { open: true });
  expect(open.items.filter(({ kind }) => kind === "guardrail-held")).toEqual([]);
});
