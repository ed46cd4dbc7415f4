import { z } from "zod";
import { type DiffRow, DiffTable } from "@/components/ui/diff-table";
import { formatCount } from "@/components/ui/format";
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

/** Rows that are read; lists may change in thousands of entries. */
const ROWS_MAX = 200;

/** The changed fields of one object, as the diff of `lib/core` words them, the loud ones first where not all fit. */
export function FieldDiffs({ label, diffs, framed = true }: FieldDiffsProps) {
  const isLong = diffs.length > ROWS_MAX;
  const read = isLong ? diffs.toSorted((a, b) => Number(b.loud) - Number(a.loud)) : diffs;
  return (
    <>
      <DiffTable label={label} rows={read.slice(0, ROWS_MAX).map(toDiffRow)} framed={framed} />
      {isLong && (
        <p className="px-4 py-2 text-muted text-sm">
          The first {formatCount(ROWS_MAX)} of {formatCount(diffs.length)} changes, the loud ones
          before the others.
        </p>
      )}
    </>
  );
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
  const entry = ListEntryWordsSchema.safeParse(value);
  if (entry.success) return entryText(entry.data);
  return flow(value, true);
}

/** An entry of a list, without whom it is about: that is the field. */
const ListEntryWordsSchema = z.strictObject({
  value: z.string(),
  reason: z.string(),
  perSecond: z.number().optional(),
});

function entryText({ reason, perSecond }: z.output<typeof ListEntryWordsSchema>): string {
  const why = reason === "" ? "without a reason" : reason;
  return perSecond === undefined ? why : `${perSecond} a second, ${why}`;
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
