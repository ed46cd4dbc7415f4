import type { z } from "zod";
import type { AuditList, AuditQuerySchema } from "@/lib/core/api/audit";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listAudit(
  _ctx: Ctx,
  _input: z.input<typeof AuditQuerySchema>,
): Promise<AuditList> {
  throw new AppError("internal", "not built yet");
}
