import type { Reader } from "./client";

/** Customers, and their keys that are not revoked, by plan. */
export async function countByPlan(
  reader: Reader,
): Promise<Map<string, { customers: number; keys: number }>> {
  const rows = await reader.$queryRaw<{ plan: string; customers: number; keys: number }[]>`
    SELECT c.plan, count(*)::int AS customers, coalesce(sum(held.keys), 0)::int AS keys
    FROM customer c LEFT JOIN (
      SELECT customer_id, count(*) AS keys FROM api_key WHERE revoked_at IS NULL GROUP BY customer_id
    ) held ON held.customer_id = c.id
    GROUP BY c.plan`;
  return new Map(rows.map(({ plan, customers, keys }) => [plan, { customers, keys }]));
}
