import type { z } from "zod";
import { type Published, VersionRollbackRequestSchema } from "@/lib/core/api/publish";
import { parseInput } from "@/lib/core/parse";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { loadVersion } from "./live-version";
import { requirePermission } from "./permission";
import { restoreOverrides } from "./restore-overrides";

/**
 * A new number with the whole old content. Never asks for evidence. Keys and customers stay, and so do overrides unless it is
 * asked to restore them, too.
 */
export async function rollbackVersion(
  ctx: Ctx,
  { number, ...input }: { number: number } & z.input<typeof VersionRollbackRequestSchema>,
): Promise<Published> {
  requirePermission(ctx, "rollback");
  const request = parseInput(VersionRollbackRequestSchema, input, "the rollback");
  const { reason, expectVersion } = request;
  const isWithOverrides = request.restoreOverrides === true;
  if (isWithOverrides) requirePermission(ctx, "keys");
  const old = await loadVersion(ctx.db, number);
  return commitVersion(
    ctx,
    { versions: expectVersion === undefined ? [] : [expectVersion], edits: [] },
    () => ({
      kind: "rollback",
      message: `back to version ${number}${reason === undefined ? "" : `: ${reason}`}`,
      content: old.content,
      restores: number,
      evidence: "exempt",
      audit: {
        action: "version.rollback",
        kind: "version",
        objectId: String(number),
        did: `rolled back to version ${number}${isWithOverrides ? " with its overrides" : ""}`,
        reason,
      },
      ...(isWithOverrides && { also: (tx) => restoreOverrides(ctx, tx, number) }),
    }),
  );
}
