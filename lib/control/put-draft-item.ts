import type { DraftWriteResult } from "@/lib/core/api/draft";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { type DraftItemInput, DraftItemSchema } from "./draft-item-input";
import { parseObject } from "./parse-object";
import { requirePermission } from "./permission";
import { saveEdit } from "./save-edit";

/** Saves one object in the caller's draft. Field errors have paths within the object. */
export async function putDraftItem(
  ctx: Ctx,
  { body, ...input }: DraftItemInput & { body: unknown },
): Promise<DraftWriteResult> {
  requirePermission(ctx, "draft");
  const { kind, id, ...seen } = parseInput(DraftItemSchema, input, "the address");
  const object = parseObject({ kind, id, body });
  return saveEdit(ctx, { edit: { op: "put", kind, id, object }, seen });
}
