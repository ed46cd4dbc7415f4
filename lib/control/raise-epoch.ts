import { AppError } from "@/lib/core/errors";
import type { VersionId } from "@/lib/core/version";
import type { Ctx } from "./context";

export async function raiseEpoch(_ctx: Ctx, _input: { seen: VersionId }): Promise<VersionId> {
  throw new AppError("internal", "not built yet");
}
