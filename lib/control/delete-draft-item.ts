import type { ObjectKind } from "@/lib/core/api/change";
import type { DraftWriteResult } from "@/lib/core/api/draft";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function deleteDraftItem(
  _ctx: Ctx,
  _input: { kind: ObjectKind; id: string; edit?: number | undefined },
): Promise<DraftWriteResult> {
  throw new AppError("internal", "not built yet");
}
