import type { z } from "zod";
import type { KeyPatchRequestSchema, KeyRow } from "@/lib/core/api/keys";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";

export async function updateKey(
  _ctx: Ctx,
  _input: { id: string } & z.input<typeof KeyPatchRequestSchema>,
): Promise<KeyRow> {
  throw new AppError("internal", "not built yet");
}
