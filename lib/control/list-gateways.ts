import type { GatewayList } from "@/lib/core/api/gateways";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function listGateways(_ctx: Ctx): Promise<GatewayList> {
  throw new AppError("internal", "not built yet");
}
