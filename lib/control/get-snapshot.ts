import { AppError } from "@/lib/core/errors";
import type { VersionId } from "@/lib/core/version";
import type { Ctx } from "./context";

export async function getSnapshot(
  _ctx: Ctx,
): Promise<VersionId & { hash: string; etag: string; document: Uint8Array }> {
  throw new AppError("internal", "not built yet");
}
