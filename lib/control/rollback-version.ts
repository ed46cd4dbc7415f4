import type { z } from "zod";
import type { Published, VersionRollbackRequestSchema } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function rollbackVersion(
  _ctx: Ctx,
  _input: { number: number } & z.input<typeof VersionRollbackRequestSchema>,
): Promise<Published> {
  throw new AppError("internal", "not built yet");
}
