import type { z } from "zod";
import { type DirectoryAnswer, DirectoryQuerySchema } from "@/lib/core/api/directory";
import { parseInput } from "@/lib/core/parse";
import { directoryDeltas } from "@/lib/db/directory";
import type { Ctx } from "./context";
import { directoryBase } from "./directory-base";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";

/** A gateway further behind is better off with the base. */
const DELTAS_MAX = 1_000;

export async function getDirectory(
  ctx: Ctx,
  input: z.input<typeof DirectoryQuerySchema> = {},
): Promise<DirectoryAnswer> {
  requirePermission(ctx, "fleet");
  const { since } = parseInput(DirectoryQuerySchema, input, "the query");
  const { epoch, directorySeq } = await getInstallation(ctx.db);
  const isNear =
    since !== undefined &&
    since.epoch === epoch &&
    since.seq <= directorySeq &&
    directorySeq - since.seq <= DELTAS_MAX;
  if (isNear) {
    const deltas = await directoryDeltas(ctx.db, { ...since, count: DELTAS_MAX });
    const isGapFree = deltas.every(({ seq }, i) => seq === since.seq + 1 + i);
    const isWhole = since.seq + deltas.length >= directorySeq;
    if (isGapFree && isWhole)
      return { kind: "deltas", position: { epoch, seq: since.seq + deltas.length }, deltas };
  }
  return { kind: "base", base: await directoryBase(ctx) };
}
