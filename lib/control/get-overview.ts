import type { Overview } from "@/lib/core/api/overview";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function getOverview(_ctx: Ctx): Promise<Overview> {
  throw new AppError("internal", "not built yet");
}
