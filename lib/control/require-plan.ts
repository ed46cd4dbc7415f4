import { AppError } from "@/lib/core/errors";
import { shown } from "@/lib/core/parse";
import type { Tx } from "@/lib/db/client";
import { getLive } from "./live-version";

/**
 * Throws `invalid` unless the live version has the plan; gives all that it has. Under the installation's lock, so
 * that no publish removes it.
 */
export async function requirePlan(tx: Tx, plan: string): Promise<string[]> {
  const { content } = await getLive(tx);
  const ids = content.plans.map(({ id }) => id);
  if (ids.includes(plan)) return ids;
  const message = `plan must be one of ${ids.join(", ")}, got ${shown(plan)}`;
  throw new AppError("invalid", message, { errors: [{ path: "plan", message }] });
}
