import type { Reader } from "./client";

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

/** The first version that held each revision of a rule. */
export async function firstVersions(reader: Reader, ruleId: string): Promise<Map<number, number>> {
  const rows = await reader.versionItem.groupBy({
    by: ["revision"],
    where: { kind: "rule", objectId: ruleId },
    _min: { versionNumber: true },
  });
  return new Map(rows.map(({ revision, _min }) => [revision, _min.versionNumber ?? 0]));
}
