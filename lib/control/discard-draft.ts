import type { Draft } from "@/lib/core/api/draft";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function discardDraft(_ctx: Ctx): Promise<Draft> {
  throw new AppError("internal", "not built yet");
}
