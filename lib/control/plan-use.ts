import { amountsOf } from "@/lib/core/limit";
import type { Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";

/** Every place in a rule where a plan stands. */
export function plansNamed(rule: Rule): { path: string; plan: string }[] {
  return [
    ...Object.keys(amountsOf(rule.limit).perPlan).map((plan) => ({
      path: `limit.perPlan.${plan}`,
      plan,
    })),
    ...(rule.match.plans ?? []).map((plan, i) => ({ path: `match.plans.${i}`, plan })),
  ];
}

/** Why a plan may not go: somebody is on it, with a key that is not revoked. Null when nobody is. */
export async function planInUse(
  reader: Reader,
  { id, name }: { id: string; name: string },
): Promise<string | null> {
  const customers = await reader.customer.count({
    where: { plan: id, keys: { some: { revokedAt: null } } },
  });
  if (customers === 0) return null;
  const who = customers === 1 ? "1 customer is" : `${customers} customers are`;
  return `plan ${id} (${name}) cannot be deleted: ${who} on it; move them to another plan first`;
}
