import { expect, test } from "vitest";
import { type ActionResult, callAction } from "./action-result";

test("a double click is one call, a later press and another input are calls of their own", async () => {
  const calls: unknown[] = [];
  const create = async (input: { name: string }): Promise<ActionResult<number>> => {
    calls.push(input);
    return { ok: true, data: calls.length };
  };
  const [first, second, other] = await Promise.all([
    callAction(create, { name: "a" }),
    callAction(create, { name: "a" }),
    callAction(create, { name: "b" }),
  ]);
  expect([first, second, other]).toEqual([
    { ok: true, data: 1 },
    { ok: true, data: 1 },
    { ok: true, data: 2 },
  ]);
  expect(await callAction(create, { name: "a" })).toEqual({ ok: true, data: 3 });
});

test("a console that does not answer is a failure, and the next press asks again", async () => {
  let calls = 0;
  const broken = async (): Promise<ActionResult<null>> => {
    calls += 1;
    throw new Error("fetch failed");
  };
  expect(await callAction(broken, {})).toMatchObject({ ok: false, code: "unavailable" });
  await callAction(broken, {});
  expect(calls).toBe(2);
});
