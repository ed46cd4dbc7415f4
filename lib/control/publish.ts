import type { z } from "zod";
import type { Published, PublishRequestSchema } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function publish(
  _ctx: Ctx,
  _input: z.input<typeof PublishRequestSchema>,
): Promise<Published> {
  throw new AppError("internal", "not built yet");
}
