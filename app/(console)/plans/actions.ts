"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

const id = z.string().max(100);
const edit = z.int().min(0).optional();

export const savePlanAction = consoleAction(
  z.strictObject({ id, body: z.unknown(), edit, baseVersion: z.int().min(0) }),
  (ctx, input) => putDraftItem(ctx, { kind: "plan", ...input }),
);

export const deletePlanAction = consoleAction(z.strictObject({ id, edit }), (ctx, input) =>
  deleteDraftItem(ctx, { kind: "plan", ...input }),
);
