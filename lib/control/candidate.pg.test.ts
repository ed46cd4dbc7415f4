import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, type TestControl } from "../testing/control";
import { tokenBucketRule } from "../testing/rules";
import {
  dropCandidate,
  promoteCandidate,
  publish,
  putDraftItem,
  setCandidateShare,
  tryCandidate,
} from ".";
import { getLive } from "./live-version";

let control: TestControl;
beforeAll(async () => {
  control = await createTestControl();
});
afterAll(() => control.close());

test("a promoted candidate keeps its counters, and a dropped one leaves what is live as it was", async () => {
  const { ctx } = control;
  const rule = tokenBucketRule({ id: "links", mode: "enforce" });
  await putDraftItem(ctx, { kind: "rule", id: "links", body: rule });
  const { version } = await getLive(ctx.db);
  await publish(ctx, { message: "links", baseVersion: version, acknowledgeGaps: true });
  const entry = async () => (await getLive(ctx.db)).body.rules.find(({ id }) => id === "links");
  const first = await entry();
  const tried = { ...rule, description: "tried" };
  await tryCandidate(ctx, { id: "links", rule: tried, reason: "try" });
  const second = await entry();
  expect(second?.live).toEqual(first?.live);
  expect(second?.candidate?.slot).not.toBe(first?.live?.slot);
  expect(second?.share).toBe(0);
  await setCandidateShare(ctx, { id: "links", share: 10, reason: "some", acknowledgeGaps: true });
  expect((await entry())?.candidate).toEqual(second?.candidate);
  await promoteCandidate(ctx, { id: "links", reason: "all", acknowledgeGaps: true });
  const last = await entry();
  expect(last).toEqual({ id: "links", live: second?.candidate });
  await tryCandidate(ctx, { id: "links", rule, reason: "again" });
  expect((await entry())?.candidate?.slot).not.toBe(last?.live?.slot);
  await dropCandidate(ctx, { id: "links" });
  expect(await entry()).toEqual(last);
});
