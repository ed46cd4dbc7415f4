import type { z } from "zod";
import {
  type AuditList,
  type AuditQuery,
  AuditQuerySchema,
  type AuditRow,
} from "@/lib/core/api/audit";
import { diffRule } from "@/lib/core/diff-rule";
import { AppError } from "@/lib/core/errors";
import { leafDiffs } from "@/lib/core/field-diff";
import { parseInput } from "@/lib/core/parse";
import { RuleSchema } from "@/lib/core/rule";
import { actorColumn } from "@/lib/db/json";
import { likeText } from "@/lib/db/like";
import type { Ctx } from "./context";
import { decodeCursor, pageOf } from "./cursor";
import { requirePermission } from "./permission";

/** Newest first. */
export async function listAudit(
  ctx: Ctx,
  input: z.input<typeof AuditQuerySchema> = {},
): Promise<AuditList> {
  requirePermission(ctx, "read");
  return auditPage(ctx.db, parseInput(AuditQuerySchema, input, "the query"));
}

/** One page, for who may read it. */
export async function auditPage(db: Ctx["db"], query: AuditQuery): Promise<AuditList> {
  const rows = await db.audit.findMany({
    where: filterOf(query),
    orderBy: { id: "desc" },
    take: query.limit + 1,
  });
  const page = pageOf(rows, query.limit, (row) => [String(row.id)]);
  return {
    items: page.rows.map(auditRow),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function filterOf(query: AuditQuery) {
  const { from, to, actor, action, kind, object, version, by, q, cursor } = query;
  return {
    at: {
      ...(from === undefined ? {} : { gte: new Date(from) }),
      ...(to === undefined ? {} : { lt: new Date(to) }),
    },
    ...(action === undefined
      ? {}
      : { action: action.endsWith(".") ? { startsWith: likeText(action) } : action }),
    ...(kind === undefined ? {} : { kind }),
    ...(object === undefined ? {} : { objectId: object }),
    ...(version === undefined ? {} : { version }),
    AND: [
      actor === undefined ? {} : { OR: actorTests(actor) },
      by === undefined ? {} : { actorId: { startsWith: likeText(`${by}:`) } },
      q === undefined ? {} : { OR: [{ sentence: containing(q) }, { reason: containing(q) }] },
    ],
    ...(cursor === undefined ? {} : { id: { lt: idOf(cursor) } }),
  };
}

function containing(text: string) {
  return { contains: likeText(text), mode: "insensitive" as const };
}

/** `user:abc`, the id alone, or a part of the name. */
function actorTests(actor: string) {
  const ids = [actor, ...["user", "token", "system"].map((type) => `${type}:${actor}`)];
  const { contains, mode } = containing(actor);
  return [{ actorId: { in: ids } }, { actor: { path: ["name"], string_contains: contains, mode } }];
}

function idOf(cursor: string): bigint {
  const [id = ""] = decodeCursor(cursor, 1);
  if (/^\d{1,18}$/.test(id)) return BigInt(id);
  throw new AppError("invalid", "cursor must be the next of an earlier answer");
}

type Row = Awaited<ReturnType<Ctx["db"]["audit"]["findMany"]>>[number];

function auditRow(row: Row): AuditRow {
  const details = typeof row.details === "object" && !Array.isArray(row.details) ? row.details : {};
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    actor: actorColumn(row.actor),
    action: row.action,
    kind: row.kind,
    objectId: row.objectId,
    sentence: row.sentence,
    reason: row.reason,
    version: row.version,
    diff: diffOf(row),
    details: details ?? {},
  };
}

function diffOf({ kind, before, after }: Row): AuditRow["diff"] {
  if (before === null || after === null) return [];
  if (kind !== "rule") return leafDiffs(before, after);
  const [was, is] = [RuleSchema.safeParse(before), RuleSchema.safeParse(after)];
  return was.success && is.success ? diffRule(was.data, is.data) : leafDiffs(before, after);
}
