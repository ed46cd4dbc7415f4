import type { z } from "zod";
import type { Published, RuleRollbackRequestSchema } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function rollbackRule(
  _ctx: Ctx,
  _input: { id: string } & z.input<typeof RuleRollbackRequestSchema>,
): Promise<Published> {
  throw new AppError("internal", "not built yet");
}
