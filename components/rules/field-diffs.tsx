import { type DiffRow, DiffTable } from "@/components/ui/diff-table";
import type { FieldDiff } from "@/lib/core/api/change";
import { AmountSchema, amountWords } from "@/lib/core/limit";

type FieldDiffsProps = { label: string; diffs: readonly FieldDiff[]; framed?: boolean };

const weights = {
  stricter: "stricter",
  looser: "looser",
  mixed: "mixed",
  same: "neutral",
  other: "neutral",
} as const;

/** The changed fields of one object, as the diff of `lib/core` words them. */
export function FieldDiffs({ label, diffs, framed = true }: FieldDiffsProps) {
  return <DiffTable label={label} rows={diffs.map(toDiffRow)} framed={framed} />;
}

export function toDiffRow(diff: FieldDiff): DiffRow {
  return {
    path: diff.path,
    field: diff.path === "" ? "whole object" : diff.path,
    before: valueText(diff.before),
    after: valueText(diff.after),
    ...(isRestated(diff) ? {} : { note: diff.sentence }),
    loud: diff.loud,
    weight: weights[diff.direction],
  };
}

/** A sentence that says no more than the two values beside it. */
function isRestated({ path, sentence, loud, direction }: FieldDiff): boolean {
  return direction === "other" && !loud && path !== "" && sentence.startsWith(`${path}: `);
}

/** A JSON value on one line, as people say it, `60 per 1m`, else as the rule file writes it: `{x-tier: [beta]}`. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const amount = AmountSchema.safeParse(value);
  if (amount.success) return amountWords(amount.data);
  return flow(value, true);
}

function flow(value: unknown, top: boolean): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => flow(item, false)).join(", ");
    return top && items !== "" ? items : `[${items}]`;
  }
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value).map(([key, item]) => `${key}: ${flow(item, false)}`);
    return `{${pairs.join(", ")}}`;
  }
  return value === "" ? "(empty)" : String(value);
}
