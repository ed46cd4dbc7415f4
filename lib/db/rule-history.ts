import type { Actor } from "@/lib/core/api/common";
import type { Reader } from "./client";
import type { Prisma } from "./generated/client";
import { actorColumn } from "./json";

/** The version in which each of these rules took its live revision, for the last time. */
export async function liveSince(
  reader: Reader,
  ruleIds: readonly string[],
): Promise<Map<string, number>> {
  if (ruleIds.length === 0) return new Map();
  // A version that does not hold the rule at all breaks the run, too: then its parent is not the one before.
  const rows = await reader.$queryRaw<{ id: string; since: number }[]>`
    SELECT held.object_id AS id, max(held.version_number) AS since
    FROM (
      SELECT i.object_id, i.version_number, i.revision, v.parent,
        lag(i.revision) OVER w AS revision_before, lag(i.version_number) OVER w AS version_before
      FROM version_item i JOIN version v ON v.number = i.version_number
      WHERE i.kind = 'rule' AND i.lane = 'live' AND i.object_id = ANY(${[...ruleIds]}::text[])
      WINDOW w AS (PARTITION BY i.object_id ORDER BY i.version_number)
    ) held
    WHERE held.revision_before IS DISTINCT FROM held.revision
      OR held.version_before IS DISTINCT FROM held.parent
    GROUP BY held.object_id`;
  return new Map(rows.map(({ id, since }) => [id, since]));
}

/** The first version that held each revision of a rule, live or as a candidate, and whether it was ever live. */
export async function firstVersions(
  reader: Reader,
  ruleId: string,
): Promise<Map<number, { version: number; wasLive: boolean }>> {
  const rows = await reader.versionItem.groupBy({
    by: ["revision", "lane"],
    where: { kind: "rule", objectId: ruleId },
    _min: { versionNumber: true },
  });
  const first = new Map<number, { version: number; wasLive: boolean }>();
  for (const { revision, lane, _min } of rows) {
    const held = first.get(revision);
    const version = _min.versionNumber ?? 0;
    first.set(revision, {
      version: Math.min(held?.version ?? version, version),
      wasLive: held?.wasLive === true || lane === "live",
    });
  }
  return first;
}

export type LiveRun = { id: string; revision: number; since: number; at: Date; actor: Actor };

/** For each rule, which revision was live from which version on, newest first; at most `max` a rule. */
export async function liveRuns(
  reader: Reader,
  ruleIds: readonly string[],
  max: number,
): Promise<LiveRun[]> {
  if (ruleIds.length === 0) return [];
  const rows = await reader.$queryRaw<
    { id: string; revision: number; since: number; at: Date; actor: Prisma.JsonValue }[]
  >`
    SELECT id, revision, since, at, actor FROM (
      SELECT changed.*, row_number() OVER (PARTITION BY id ORDER BY since DESC) AS place FROM (
        SELECT i.object_id AS id, i.revision, i.version_number AS since, v.created_at AS at, v.actor,
          lag(i.revision) OVER w AS revision_before, lag(i.version_number) OVER w AS version_before,
          v.parent
        FROM version_item i JOIN version v ON v.number = i.version_number
        WHERE i.kind = 'rule' AND i.lane = 'live' AND i.object_id = ANY(${[...ruleIds]}::text[])
        WINDOW w AS (PARTITION BY i.object_id ORDER BY i.version_number)
      ) changed
      WHERE revision_before IS DISTINCT FROM revision OR version_before IS DISTINCT FROM parent
    ) numbered
    WHERE place <= ${max} ORDER BY id, since DESC`;
  return rows.map((row) => ({ ...row, actor: actorColumn(row.actor) }));
}

export type CandidateRun = { since: number; at: Date; actor: Actor; isReplacement: boolean };

/** Since when a rule's candidate is the revision that it is in this version; `isReplacement`: another one was tried before it. */
export async function candidateRun(
  reader: Reader,
  { ruleId, version }: { ruleId: string; version: number },
): Promise<CandidateRun | null> {
  const rows = await reader.$queryRaw<
    { since: number; at: Date; actor: Prisma.JsonValue; isReplacement: boolean }[]
  >`
    SELECT i.version_number AS since, v.created_at AS at, v.actor, b.revision IS NOT NULL AS "isReplacement"
    FROM version_item i JOIN version v ON v.number = i.version_number
    LEFT JOIN version_item b ON b.version_number = v.parent AND b.kind = i.kind
      AND b.object_id = i.object_id AND b.lane = i.lane
    WHERE i.kind = 'rule' AND i.object_id = ${ruleId} AND i.lane = 'candidate'
      AND i.version_number <= ${version} AND b.revision IS DISTINCT FROM i.revision
    ORDER BY i.version_number DESC LIMIT 1`;
  const row = rows[0];
  return row === undefined ? null : { ...row, actor: actorColumn(row.actor) };
}
