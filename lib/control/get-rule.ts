import type { RuleDetail } from "@/lib/core/api/rules";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function getRule(_ctx: Ctx, _input: { id: string }): Promise<RuleDetail> {
  throw new AppError("internal", "not built yet");
}
