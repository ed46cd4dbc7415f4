"use server";

import { z } from "zod";
import { consoleAction, readAction } from "@/app/_server/action";
import { endOverride, FindClientsSchema, findClients, putOverride } from "@/lib/control";
import { OverrideWriteSchema } from "@/lib/core/api/overrides";

const id = z.string().min(1).max(100);

export const putOverrideAction = consoleAction(
  z.strictObject({ id, body: OverrideWriteSchema }),
  (ctx, { id, body }) => putOverride(ctx, { id, ...body }),
);

export const endOverrideAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  endOverride(ctx, input),
);

export const findClientsAction = readAction(FindClientsSchema, (ctx, input) =>
  findClients(ctx, input),
);
