"use server";

import { z } from "zod";
import { consoleAction, readAction } from "@/app/_server/action";
import { deleteDraftItem, listPlanEffects, putDraftItem } from "@/lib/control";

const id = z.string().max(100);
const edit = z.int().min(0).optional();

export const savePlanAction = consoleAction(
  z.strictObject({ id, body: z.unknown(), edit, baseVersion: z.int().min(0) }),
  (ctx, input) => putDraftItem(ctx, { kind: "plan", ...input }),
);

export const deletePlanAction = consoleAction(z.strictObject({ id, edit }), (ctx, input) =>
  deleteDraftItem(ctx, { kind: "plan", ...input }),
);

export const planRemovalAction = readAction(z.strictObject({ id }), (ctx, input) =>
  listPlanEffects(ctx, { removing: input.id }),
);
