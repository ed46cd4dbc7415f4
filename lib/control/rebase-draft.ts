import type { Draft } from "@/lib/core/api/draft";
import type { Conflict } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function rebaseDraft(_ctx: Ctx): Promise<Draft & { conflicts: Conflict[] }> {
  throw new AppError("internal", "not built yet");
}
