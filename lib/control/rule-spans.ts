import { z } from "zod";
import { type Share, ShareSchema } from "@/lib/core/candidate";
import type { CountedMode, Lane } from "@/lib/core/counts";
import { listOfRule } from "@/lib/core/own-rules";
import { canonicalJson } from "@/lib/core/revision-hash";
import { ModeSchema, type Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";

/** A time in which one revision of a rule was in force, by the versions' commits. */
export type RuleSpan = {
  revision: number;
  mode: Rule["mode"];
  /** How it was counted: a candidate in shadow for those who have it beside them, enforced for its share. */
  counted: readonly CountedMode[];
  fromMs: number;
  /** Infinity while it is. */
  toMs: number;
};

type Row = { createdAt: Date; revision: number | null; mode: string | null; share: unknown };

/**
 * The spans of a lane (live if not said) that touch the interval, oldest first; empty when the rule was in no version of it. What a
 * list drops is enforced while the list has entries; its counts have no revision.
 */
export async function ruleSpans(
  reader: Reader,
  {
    ruleId,
    fromMs,
    toMs,
    lane = "live",
  }: { ruleId: string; fromMs: number; toMs: number; lane?: Lane },
): Promise<RuleSpan[]> {
  const list = listOfRule(ruleId);
  const [kind, objectId] = list === null ? ["rule", ruleId] : ["lists", list];
  const rows = await reader.$queryRaw<Row[]>`
    SELECT v.created_at AS "createdAt", CASE WHEN i.kind = 'lists' THEN 0 ELSE i.revision END AS revision,
      CASE WHEN i.kind IS DISTINCT FROM 'lists' THEN r.body->>'mode'
        WHEN r.body = '[]'::jsonb THEN 'off' ELSE 'enforce' END AS mode,
      CASE WHEN i.lane = 'candidate' THEN jsonb_path_query_first(convert_from(v.body, 'UTF8')::jsonb,
        '$.rules[*] ? (@.id == $id).share', jsonb_build_object('id', ${ruleId}::text)) END AS share
    FROM version v
    LEFT JOIN version_item i ON i.version_number = v.number AND i.kind = ${kind}
      AND i.object_id = ${objectId} AND i.lane = ${lane}
    LEFT JOIN revision r ON r.kind = i.kind AND r.object_id = i.object_id AND r.n = i.revision
    WHERE v.created_at < ${new Date(toMs)}::timestamptz AND v.number >= COALESCE(
      (SELECT number FROM version WHERE created_at <= ${new Date(fromMs)}::timestamptz
        ORDER BY number DESC LIMIT 1), 0)
    ORDER BY v.number`;
  const spans: RuleSpan[] = [];
  for (const [index, { createdAt, revision, ...row }] of rows.entries()) {
    if (revision === null) continue;
    const mode = ModeSchema.parse(row.mode);
    const share = ShareSchema.optional().parse(row.share ?? undefined);
    const counted = lane === "live" ? modesOf(mode) : modesOfCandidate(share);
    const toMs = rows[index + 1]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY;
    const last = spans.at(-1);
    const isSame =
      last?.revision === revision && last.mode === mode && `${last.counted}` === `${counted}`;
    if (isSame && last.toMs === createdAt.getTime()) last.toMs = toMs;
    else spans.push({ revision, mode, counted, fromMs: createdAt.getTime(), toMs });
  }
  return spans;
}

function modesOf(mode: Rule["mode"]): CountedMode[] {
  return mode === "off" ? [] : [mode];
}

/** A plan that a share does not name has it in shadow. */
function modesOfCandidate(share: Share = 0): CountedMode[] {
  const isEnforced = typeof share === "number" ? share > 0 : Object.values(share).some(Boolean);
  return [
    ...(share === 100 ? [] : ["shadow" as const]),
    ...(isEnforced ? ["enforce" as const] : []),
  ];
}

const BodySchema = z.record(z.string(), z.unknown());

/**
 * The revisions of a rule that decide as `rule` does: equal but for name, description, mode, warn and meta. What they
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
  const { name, description, mode, warn, meta, ...rest } = body;
  return canonicalJson(rest);
}
