import type { AlertRow } from "@/lib/core/api/alerts";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function acknowledgeAlert(_ctx: Ctx, _input: { id: string }): Promise<AlertRow> {
  throw new AppError("internal", "not built yet");
}
