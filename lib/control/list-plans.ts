import type { PlanList } from "@/lib/core/api/plans";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listPlans(_ctx: Ctx): Promise<PlanList> {
  throw new AppError("internal", "not built yet");
}
