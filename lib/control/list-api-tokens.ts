import type { TokenList } from "@/lib/core/api/tokens";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listApiTokens(_ctx: Ctx): Promise<TokenList> {
  throw new AppError("internal", "not built yet");
}
