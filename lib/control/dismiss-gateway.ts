import type { z } from "zod";
import type { DismissRequestSchema, GatewayRow } from "@/lib/core/api/gateways";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function dismissGateway(
  _ctx: Ctx,
  _input: { id: string } & z.input<typeof DismissRequestSchema>,
): Promise<GatewayRow> {
  throw new AppError("internal", "not built yet");
}
