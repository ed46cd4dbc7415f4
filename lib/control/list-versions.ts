import type { z } from "zod";
import type { PageQuerySchema } from "@/lib/core/api/common";
import type { VersionList } from "@/lib/core/api/versions";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listVersions(
  _ctx: Ctx,
  _input: z.input<typeof PageQuerySchema>,
): Promise<VersionList> {
  throw new AppError("internal", "not built yet");
}
