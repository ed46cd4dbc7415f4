import type { z } from "zod";
import type { TokenCreated, TokenCreateRequestSchema } from "@/lib/core/api/tokens";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function createApiToken(
  _ctx: Ctx,
  _input: z.input<typeof TokenCreateRequestSchema>,
): Promise<TokenCreated> {
  throw new AppError("internal", "not built yet");
}
