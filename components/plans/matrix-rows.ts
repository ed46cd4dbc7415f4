import type { PlanRow } from "@/lib/core/api/plans";
import { amountsOf } from "@/lib/core/limit";
import { limitWords, shedderWords } from "@/lib/core/limit-words";
import type { Mode } from "@/lib/core/rule";
import type { Body } from "@/lib/core/ruleset";

export type MatrixCell = Pick<PlanRow["limits"][number], "words" | "from">;

export type MatrixRow = {
  id: string;
  name: string;
  mode: Mode;
  /** By plan id. */
  cells: Map<string, MatrixCell>;
  /** What a plan gets that the rule does not name. */
  rest: string;
};

/** The plans' lists of limits turned round: a row a rule. */
export function matrixRows(plans: readonly PlanRow[], rules: Body["rules"]): MatrixRow[] {
  const defaults = new Map(
    rules.map(({ id, live }) => {
      if (live === undefined) return [id, "no limit"];
      const { limit } = live.rule;
      const amount = amountsOf(limit).default;
      return [id, shedderWords(limit) ?? (amount && limitWords(limit, amount)) ?? "no limit"];
    }),
  );
  const rows = new Map<string, MatrixRow>();
  for (const plan of plans) {
    for (const { rule, name, mode, words, from } of plan.limits) {
      const row = rows.get(rule) ?? {
        id: rule,
        name,
        mode,
        cells: new Map(),
        rest: defaults.get(rule) ?? "no limit",
      };
      row.cells.set(plan.id, { words, from });
      rows.set(rule, row);
    }
  }
  return [...rows.values()];
}
