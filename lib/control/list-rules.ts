import type { z } from "zod";
import type { RuleList, RuleListQuerySchema } from "@/lib/core/api/rules";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listRules(
  _ctx: Ctx,
  _input: z.input<typeof RuleListQuerySchema>,
): Promise<RuleList> {
  throw new AppError("internal", "not built yet");
}
