"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { endStop, stopEnforcing } from "@/lib/control";
import { StopEndRequestSchema, StopRequestSchema } from "@/lib/core/api/stops";

export const stopEnforcingAction = consoleAction(StopRequestSchema, (ctx, input) =>
  stopEnforcing(ctx, input),
);

export const endStopAction = consoleAction(
  StopEndRequestSchema.extend({ id: z.string().min(1).max(64) }),
  (ctx, input) => endStop(ctx, input),
);
