"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { resetClient } from "@/lib/control";
import { ClientResetRequestSchema } from "@/lib/core/api/clients";

const ResetSchema = ClientResetRequestSchema.extend({ client: z.string().min(1).max(200) });

export const resetClientAction = consoleAction(ResetSchema, (ctx, { client, ...body }) =>
  resetClient(ctx, { id: client, ...body }),
);
