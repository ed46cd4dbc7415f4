import { z } from "zod";
import { canonicalJson } from "@/lib/core/revision-hash";
import { ModeSchema, type Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";

/** A time in which one revision of a rule was in force, by the versions' commits. */
export type RuleSpan = {
  revision: number;
  mode: Rule["mode"];
  fromMs: number;
  /** Infinity while it is. */
  toMs: number;
};

type Row = { createdAt: Date; revision: number | null; mode: string | null };

/** The live lane's spans that touch the interval, oldest first; empty when the rule was in no version of it. */
export async function ruleSpans(
  reader: Reader,
  { ruleId, fromMs, toMs }: { ruleId: string; fromMs: number; toMs: number },
): Promise<RuleSpan[]> {
  const rows = await reader.$queryRaw<Row[]>`
    SELECT v.created_at AS "createdAt", i.revision, r.body->>'mode' AS mode
    FROM version v
    LEFT JOIN version_item i ON i.version_number = v.number AND i.kind = 'rule'
      AND i.object_id = ${ruleId} AND i.lane = 'live'
    LEFT JOIN revision r ON r.kind = 'rule' AND r.object_id = i.object_id AND r.n = i.revision
    WHERE v.created_at < ${new Date(toMs)}::timestamptz AND v.number >= COALESCE(
      (SELECT number FROM version WHERE created_at <= ${new Date(fromMs)}::timestamptz
        ORDER BY number DESC LIMIT 1), 0)
    ORDER BY v.number`;
  const spans: RuleSpan[] = [];
  for (const [index, { createdAt, revision, mode }] of rows.entries()) {
    if (revision === null) continue;
    const toMs = rows[index + 1]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY;
    const last = spans.at(-1);
    if (last?.revision === revision && last.toMs === createdAt.getTime()) last.toMs = toMs;
    else spans.push({ revision, mode: ModeSchema.parse(mode), fromMs: createdAt.getTime(), toMs });
  }
  return spans;
}

const BodySchema = z.record(z.string(), z.unknown());

/**
 * The revisions of a rule that decide as `rule` does: equal but for name, description, mode and meta. What they
 * counted is evidence for it; what another limit, match or countBy counted is not.
 */
export async function revisionsLike(
  reader: Reader,
  rule: Pick<Rule, "id"> & Partial<Rule>,
): Promise<number[]> {
  const rows = await reader.revision.findMany({
    where: { kind: "rule", objectId: rule.id },
    select: { n: true, body: true },
    orderBy: { n: "asc" },
  });
  const wanted = decisionOf(rule);
  return rows.filter(({ body }) => decisionOf(BodySchema.parse(body)) === wanted).map(({ n }) => n);
}

function decisionOf(body: Record<string, unknown>): string {
  const { name: _name, description: _description, mode: _mode, meta: _meta, ...rest } = body;
  return canonicalJson(rest);
}
