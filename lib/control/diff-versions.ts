import type { VersionDiff } from "@/lib/core/api/versions";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function diffVersions(
  _ctx: Ctx,
  _input: { from: number; to: number },
): Promise<VersionDiff> {
  throw new AppError("internal", "not built yet");
}
