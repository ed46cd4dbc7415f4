import type { Draft } from "@/lib/core/api/draft";
import type { PlanRow } from "@/lib/core/api/plans";
import { ANONYMOUS_PLAN, type Plan, PlanSchema } from "@/lib/core/plan";
import type { PlanEntry } from "./plan-actions";

/** The live plans with what the caller's draft does to them, and the ones that it adds, by rank. */
export function planEntries(
  rows: readonly PlanRow[],
  live: { version: number; plans: readonly Plan[] },
  draft: Pick<Draft, "baseVersion" | "changes">,
): PlanEntry[] {
  const edits = new Map(
    draft.changes.filter(({ kind }) => kind === "plan").map((change) => [change.id, change]),
  );
  const ids = new Set([...live.plans.map(({ id }) => id), ...edits.keys()]);
  const entries = [...ids].map((id): PlanEntry => {
    const plan = live.plans.find((each) => each.id === id) ?? null;
    const edit = edits.get(id);
    const row = rows.find((each) => each.id === id && id !== ANONYMOUS_PLAN);
    return {
      id,
      live: plan,
      draft: edit === undefined ? plan : planOf(edit.after),
      edit: edit?.edit ?? 0,
      baseVersion: edit === undefined ? live.version : draft.baseVersion,
      change: edit?.change.sentence ?? null,
      customers: row?.customers ?? 0,
      keys: row?.keys ?? 0,
    };
  });
  const rank = ({ live: is, draft }: PlanEntry) => (draft ?? is)?.rank ?? 0;
  return entries.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

function planOf(body: unknown): Plan | null {
  const read = PlanSchema.safeParse(body);
  return read.success ? read.data : null;
}
