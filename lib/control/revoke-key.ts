import type { KeyRow } from "@/lib/core/api/keys";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function revokeKey(_ctx: Ctx, _input: { id: string }): Promise<KeyRow> {
  throw new AppError("internal", "not built yet");
}
