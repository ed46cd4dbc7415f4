"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { putDraftItem } from "@/lib/control";

const seen = { edit: z.int().min(0), baseVersion: z.int().min(0) };

export const saveSettingsAction = consoleAction(
  z.strictObject({ body: z.unknown(), ...seen }),
  (ctx, input) => putDraftItem(ctx, { kind: "settings", id: "settings", ...input }),
);

export const saveRoutesAction = consoleAction(
  z.strictObject({ body: z.array(z.string().max(2000)).max(10_000), ...seen }),
  (ctx, input) => putDraftItem(ctx, { kind: "routes", id: "routes", ...input }),
);
