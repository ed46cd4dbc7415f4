import type { z } from "zod";
import type { ModeRequestSchema, Published } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function setRuleMode(
  _ctx: Ctx,
  _input: { id: string } & z.input<typeof ModeRequestSchema>,
): Promise<Published> {
  throw new AppError("internal", "not built yet");
}
