import { expect, test } from "vitest";
import { createLog } from "./log";

test("a line is JSON with a name, a level in words and an ISO time, and hides secrets", () => {
  const lines: string[] = [];
  const log = createLog({
    name: "gateway",
    level: "info",
    destination: { write: (line) => lines.push(line) },
  });
  log.info({ key: "hg_live_1", request: { headers: { authorization: "Bearer x" } } }, "hello");
  log.debug("not shown");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "info",
    name: "gateway",
    msg: "hello",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    key: "(hidden)",
    request: { headers: { authorization: "(hidden)" } },
  });
});
