import type { z } from "zod";
import type { KeyList, KeyListQuerySchema } from "@/lib/core/api/keys";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listKeys(
  _ctx: Ctx,
  _input: z.input<typeof KeyListQuerySchema>,
): Promise<KeyList> {
  throw new AppError("internal", "not built yet");
}
