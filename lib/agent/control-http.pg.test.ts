import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, SYSTEM, withActor } from "../control";
import { type ConsoleApi, openConsoleApi, TOKENS } from "../testing/console-api";
import { failureOf } from "../testing/failure";
import { createControlHttp } from "./control-http";
import { loadDocument } from "./load-directory";

let api: ConsoleApi;
let controlUrl: string;
beforeAll(async () => {
  api = await openConsoleApi();
  controlUrl = await api.listen();
});
afterAll(() => api.close());

const httpAs = (gatewayToken: string) =>
  createControlHttp({ controlUrl, gatewayToken, gatewayId: "gw" });
const load = async () => loadDocument(await httpAs(TOKENS.gateway).getDirectoryBase(), () => true);

test("a fleet that asks the console at once gets the whole directory, each of it, at the newest position", async () => {
  const ctx = withActor(api.control, SYSTEM);
  for (let i = 0; i < 3; i += 1) await createKey(ctx, { plan: "free", customer: `c${i}` });
  const answer = await httpAs(TOKENS.gateway).getDirectory(null);
  for (const { head, index } of await Promise.all([load(), load(), load(), load()])) {
    expect(head).toMatchObject({ ...answer.position, environment: api.control.environment });
    expect(index.size()).toEqual({ keys: 3, customers: 3, overrides: 0 });
  }
  await createKey(ctx, { plan: "paid", customer: "late" });
  const { head, index } = await load();
  expect(head.seq).toBe(answer.position.seq + 1);
  expect(index.planOf("late")).toBe("paid");
});

test("a token that is no gateway's gets no directory", async () => {
  const failure = await failureOf(httpAs("hgt_made-up").getDirectoryBase(), "unavailable");
  expect(failure.message).toContain("answered 401");
});
