"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { endEnforcementWatch, setGuardrail } from "@/lib/control";
import {
  EnforcementBoundsRequestSchema,
  EnforcementEndRequestSchema,
} from "@/lib/core/api/enforcement";

const id = z.string().min(1).max(100);

export const setGuardrailAction = consoleAction(
  EnforcementBoundsRequestSchema.extend({ id }),
  (ctx, input) => setGuardrail(ctx, input),
);

export const endWatchAction = consoleAction(
  EnforcementEndRequestSchema.extend({ id }),
  (ctx, input) => endEnforcementWatch(ctx, input),
);
