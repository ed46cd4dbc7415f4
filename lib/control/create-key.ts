import type { z } from "zod";
import type { KeyCreated, KeyCreateRequestSchema } from "@/lib/core/api/keys";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function createKey(
  _ctx: Ctx,
  _input: z.input<typeof KeyCreateRequestSchema>,
): Promise<KeyCreated> {
  throw new AppError("internal", "not built yet");
}
