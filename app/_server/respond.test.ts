import { expect, test } from "vitest";
import { AppError } from "@/lib/core/errors";
import { createLog } from "@/lib/log";
import { problemResponse } from "./respond";

const where = { requestId: "r1", route: "GET /x", log: createLog({ name: "t", level: "silent" }) };

test("bad input always has a list of errors, also where no field is to blame", async () => {
  const plain = problemResponse(new AppError("invalid", "a number is too large"), where);
  expect(plain.status).toBe(422);
  expect(await plain.json()).toMatchObject({
    detail: "a number is too large",
    errors: [{ path: "", message: "a number is too large" }],
  });
  const conflict = problemResponse(new AppError("conflict", "stale"), where);
  expect(await conflict.json()).not.toHaveProperty("errors");
});
