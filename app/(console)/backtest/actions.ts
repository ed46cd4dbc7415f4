"use server";

import { z } from "zod";
import { consoleAction, readAction } from "@/app/_server/action";
import {
  addLogPart,
  beginLog,
  cancelBacktest,
  createBacktest,
  deleteBacktest,
  deleteBacktestLog,
  endLog,
  getDraftItem,
  putDraftItem,
} from "@/lib/control";
import { BacktestLogQuerySchema, BacktestRequestSchema } from "@/lib/core/api/backtests";

const id = z.string().min(1).max(100);

export const createBacktestAction = consoleAction(BacktestRequestSchema, (ctx, input) =>
  createBacktest(ctx, input),
);

export const cancelBacktestAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  cancelBacktest(ctx, input),
);

export const deleteBacktestAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  deleteBacktest(ctx, input),
);

// Nothing on a page changes until the last part is there.
export const beginLogAction = readAction(BacktestLogQuerySchema, (ctx, input) =>
  beginLog(ctx, input),
);

export const addLogPartAction = readAction(
  z.strictObject({ id, n: z.int().min(0), base64: z.base64().max(1_000_000) }),
  (ctx, { base64, ...part }) =>
    addLogPart(ctx, { ...part, bytes: new Uint8Array(Buffer.from(base64, "base64")) }),
);

export const endLogAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  endLog(ctx, input),
);

export const deleteBacktestLogAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  deleteBacktestLog(ctx, input),
);

/** The rule as the draft, else the live version has it, with this limit in place of its own. */
export const useLimitAction = consoleAction(
  z.strictObject({ rule: id, limit: z.unknown() }),
  async (ctx, { rule, limit }) => {
    const { object } = await getDraftItem(ctx, { kind: "rule", id: rule });
    const { edit, baseVersion } = object;
    const body = { ...Object(object.body), limit };
    const saved = await putDraftItem(ctx, { kind: "rule", id: rule, edit, baseVersion, body });
    return { isChanged: saved.change !== null };
  },
);
