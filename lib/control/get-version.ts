import type { VersionDetail } from "@/lib/core/api/versions";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function getVersion(_ctx: Ctx, _input: { number: number }): Promise<VersionDetail> {
  throw new AppError("internal", "not built yet");
}
