import type { PlanRow } from "@/lib/core/api/plans";
import { amountsOf, amountWords } from "@/lib/core/limit";
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
      const amount = live && amountsOf(live.rule.limit).default;
      return [id, amount === undefined ? "no limit" : amountWords(amount)];
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
