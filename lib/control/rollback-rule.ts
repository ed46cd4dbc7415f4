import type { z } from "zod";
import { type Published, RuleRollbackRequestSchema } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { withObject, withoutObject } from "@/lib/core/ruleset-objects";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { editOfExpected } from "./expected-version";
import { parseObject } from "./parse-object";
import { requirePermission } from "./permission";

/** Makes an earlier revision of one rule live again, also of one that was deleted since. Never asks for evidence. */
export async function rollbackRule(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof RuleRollbackRequestSchema>,
): Promise<Published> {
  requirePermission(ctx, "rollback");
  const request = parseInput(RuleRollbackRequestSchema, input, "the rollback");
  const { revision, reason, expectVersion } = request;
  const row = await ctx.db.revision.findUnique({
    where: { kind_objectId_n: { kind: "rule", objectId: id, n: revision } },
  });
  if (row === null) throw new AppError("not_found", `rule ${id} has no revision ${revision}`);
  await requireWasLive(ctx, { id, revision });
  const object = parseObject({ kind: "rule", id, body: row.body });
  return commitVersion(
    ctx,
    (tx) =>
      editOfExpected(tx, {
        expectVersion,
        ruleId: id,
        change: (rule) => (object.kind === "rule" ? object.body : rule),
      }),
    (_tx, live) => ({
      kind: "rollback",
      message: `${id}: back to revision ${revision}${reason === undefined ? "" : `: ${reason}`}`,
      // Back is back for everybody: what was tried beside it ends.
      content: withObject(withoutObject(live.content, { kind: "candidate", id }), object),
      evidence: "exempt",
      audit: {
        action: "rule.rollback",
        kind: "rule",
        objectId: id,
        did: `rolled rule ${id} back to revision ${revision}`,
        reason,
        before: live.content.rules.find((rule) => rule.id === id),
        after: object.body,
      },
    }),
  );
}

/** What was only tried beside the live one is no way back: nobody but a share ever met it. */
async function requireWasLive(
  { db }: Ctx,
  { id, revision }: { id: string; revision: number },
): Promise<void> {
  const held = await db.versionItem.count({
    where: { kind: "rule", objectId: id, revision, lane: "live" },
  });
  if (held > 0) return;
  throw new AppError(
    "conflict",
    `revision ${revision} of rule ${id} was only tried beside the live one, so it is no way back: try it again and promote it, or publish it`,
    { details: { reason: "never-live" } },
  );
}
