"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { acknowledgeAlert } from "@/lib/control";

export const acknowledgeAlertAction = consoleAction(
  z.strictObject({ id: z.string().min(1).max(100) }),
  (ctx, input) => acknowledgeAlert(ctx, input),
);
