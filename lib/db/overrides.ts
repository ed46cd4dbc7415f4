import type { Reader } from "./client";
import { likeText } from "./like";

export type OverrideFilter = {
  client: string | null;
  rule: string | null;
  /** Of what has not been ended: runs on after `now`, or not. Null: both, and ended ones. */
  time: "current" | "expired" | "ended" | null;
  /** Runs out before this. */
  before: Date | null;
  /** Text that stands anywhere in it, or in its client's name. */
  q: string | null;
  /** Only of these ids. */
  ids: readonly string[] | null;
};

export type OverridePage = {
  now: Date;
  /** The latest to expire first. */
  isBackwards: boolean;
  after: { expiresAt: Date; id: string } | null;
  limit: number;
};

/** Ids of a page, at most one more than `limit`, and how many there are in all. */
export async function findOverrideIds(
  reader: Reader,
  { client, rule, time, before, q, ids }: OverrideFilter,
  { now, isBackwards, after, limit }: OverridePage,
): Promise<{ ids: string[]; total: number }> {
  const pattern = q === null ? null : `%${likeText(q)}%`;
  const prefix = pattern?.slice(1) ?? null;
  const rows = await reader.$queryRaw<{ id: string | null; total: number }[]>`
    WITH found AS (
      SELECT o.id, o.expires_at FROM override o
      LEFT JOIN api_key k ON k.id = substr(o.client, 5) AND o.client LIKE 'key:%'
      LEFT JOIN customer c ON c.id = coalesce(k.customer_id, substr(o.client, 10))
        AND (k.id IS NOT NULL OR o.client LIKE 'customer:%')
      WHERE (${client}::text IS NULL OR o.client = ${client})
        AND (${rule}::text IS NULL OR o.rule_id = ${rule})
        AND (${time}::text IS NULL OR ${time} = CASE
          WHEN o.ended_at IS NOT NULL THEN 'ended'
          WHEN o.expires_at <= ${now}::timestamptz THEN 'expired' ELSE 'current' END)
        AND (${before}::timestamptz IS NULL OR o.expires_at <= ${before}::timestamptz)
        AND (${ids}::text[] IS NULL OR o.id = ANY(${ids}::text[]))
        AND (${pattern}::text IS NULL
          OR concat_ws(' ', o.id, o.client, o.rule_id, o.owner, o.reason, k.name, c.id, c.name) ILIKE ${pattern}
          OR EXISTS (SELECT 1 FROM key_secret s WHERE s.api_key_id = k.id AND s.prefix LIKE ${prefix})))
    SELECT page.id, (SELECT count(*)::int FROM found) AS total
    FROM (SELECT 1) one LEFT JOIN (
      SELECT id, expires_at FROM found
      WHERE ${after?.id ?? null}::text IS NULL
        OR CASE WHEN ${isBackwards} THEN (expires_at, id) < (${after?.expiresAt ?? null}::timestamptz, ${after?.id ?? null})
           ELSE (expires_at, id) > (${after?.expiresAt ?? null}::timestamptz, ${after?.id ?? null}) END
      ORDER BY
        CASE WHEN ${isBackwards} THEN expires_at END DESC, CASE WHEN ${isBackwards} THEN id END DESC,
        expires_at, id
      LIMIT ${limit + 1}) page ON true`;
  return {
    ids: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    total: rows[0]?.total ?? 0,
  };
}
