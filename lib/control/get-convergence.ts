import type { Convergence } from "@/lib/core/api/versions";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function getConvergence(_ctx: Ctx, _input: { number: number }): Promise<Convergence> {
  throw new AppError("internal", "not built yet");
}
