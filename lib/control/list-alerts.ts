import type { z } from "zod";
import type { AlertList, AlertListQuerySchema } from "@/lib/core/api/alerts";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listAlerts(
  _ctx: Ctx,
  _input: z.input<typeof AlertListQuerySchema>,
): Promise<AlertList> {
  throw new AppError("internal", "not built yet");
}
