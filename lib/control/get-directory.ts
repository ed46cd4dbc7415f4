import type { z } from "zod";
import { type DirectoryAnswer, DirectoryQuerySchema } from "@/lib/core/api/directory";
import { parseInput } from "@/lib/core/parse";
import { directoryDeltas } from "@/lib/db/directory";
import type { Ctx } from "./context";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";

/** A gateway further behind is better off with the base. */
const BEHIND_MAX = 5_000;
/** An import's steps are of a thousand entries each, so an answer has only so many. */
const DELTAS_MAX = 100;

/** What follows `since`; where that is not near, or not said, only that a base is to be loaded. */
export async function getDirectory(
  ctx: Ctx,
  input: z.input<typeof DirectoryQuerySchema> = {},
): Promise<DirectoryAnswer> {
  requirePermission(ctx, "fleet");
  const { since } = parseInput(DirectoryQuerySchema, input, "the query");
  const { epoch, directorySeq } = await getInstallation(ctx.db);
  const base: DirectoryAnswer = { kind: "base", position: { epoch, seq: directorySeq } };
  const isNear =
    since !== undefined &&
    since.epoch === epoch &&
    since.seq <= directorySeq &&
    directorySeq - since.seq <= BEHIND_MAX;
  if (!isNear) return base;
  const deltas = await directoryDeltas(ctx.db, { ...since, count: DELTAS_MAX });
  const isGapFree = deltas.every(({ seq }, i) => seq === since.seq + 1 + i);
  const isGone = deltas.length === 0 && since.seq < directorySeq;
  if (!isGapFree || isGone) return base;
  return { kind: "deltas", position: { epoch, seq: since.seq + deltas.length }, deltas };
}
