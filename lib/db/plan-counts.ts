import type { Reader } from "./client";

/** Customers, and their keys that are not revoked, by plan. */
export async function countByPlan(
  reader: Reader,
): Promise<Map<string, { customers: number; keys: number }>> {
  const rows = await reader.$queryRaw<{ plan: string; customers: number; keys: number }[]>`
    SELECT c.plan, count(DISTINCT c.id)::int AS customers, count(k.id)::int AS keys
    FROM customer c LEFT JOIN api_key k ON k.customer_id = c.id AND k.revoked_at IS NULL
    GROUP BY c.plan`;
  return new Map(rows.map(({ plan, customers, keys }) => [plan, { customers, keys }]));
}
