"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { dismissGateway } from "@/lib/control";
import { DismissRequestSchema } from "@/lib/core/api/gateways";

export const dismissGatewayAction = consoleAction(
  DismissRequestSchema.extend({ id: z.string().min(1).max(128) }),
  (ctx, input) => dismissGateway(ctx, input),
);
