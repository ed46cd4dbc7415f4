import type { z } from "zod";
import type { DirectoryAnswer, DirectoryQuerySchema } from "@/lib/core/api/directory";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function getDirectory(
  _ctx: Ctx,
  _input: z.input<typeof DirectoryQuerySchema>,
): Promise<DirectoryAnswer> {
  throw new AppError("internal", "not built yet");
}
