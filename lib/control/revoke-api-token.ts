import type { TokenRow } from "@/lib/core/api/tokens";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function revokeApiToken(_ctx: Ctx, _input: { id: string }): Promise<TokenRow> {
  throw new AppError("internal", "not built yet");
}
