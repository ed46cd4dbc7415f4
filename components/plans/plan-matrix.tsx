"use client";

import { useMemo } from "react";
import { ModeBadge } from "@/components/rules/mode-badge";
import { columnsOf, DataTable } from "@/components/ui/data-table";
import { RowLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { PlanRow } from "@/lib/core/api/plans";
import type { MatrixCell, MatrixRow } from "./matrix-rows";

type PlanMatrixProps = {
  plans: readonly Pick<PlanRow, "id" | "name">[];
  rows: readonly MatrixRow[];
};

const column = columnsOf<MatrixRow>();

/** What each rule gives each plan. */
export function PlanMatrix({ plans, rows }: PlanMatrixProps) {
  const columns = useMemo(
    () =>
      column.columns([
        column.accessor("name", {
          header: "Rule",
          meta: { rowHead: true, className: "max-w-72" },
          cell: ({ row }) => (
            <RowLink href={`/rules/${encodeURIComponent(row.original.id)}`}>
              <UserText truncate className="max-w-64">
                {row.original.name}
              </UserText>
            </RowLink>
          ),
        }),
        column.accessor("mode", {
          header: "Mode",
          cell: ({ row }) => <ModeBadge mode={row.original.mode} />,
        }),
        ...plans.map(({ id, name }) =>
          column.accessor((row) => row.cells.get(id)?.words ?? "", {
            id: `plan-${id}`,
            header: name,
            enableSorting: false,
            cell: ({ row }) => <LimitCell cell={row.original.cells.get(id)} />,
          }),
        ),
        column.accessor("rest", {
          header: "Any other plan",
          enableSorting: false,
          cell: ({ row }) => <span className="text-muted">{row.original.rest}</span>,
        }),
      ]),
    [plans],
  );
  return (
    <DataTable
      label="What each rule gives each plan"
      noun={{ one: "rule", many: "rules" }}
      rows={rows}
      columns={columns}
      getRowId={({ id }) => id}
      defaultSort="name.asc"
      empty={
        <p className="px-4 py-8 text-center text-muted">
          There is no rule yet: every plan is unlimited.
        </p>
      }
    />
  );
}

const NOTES = {
  perPlan: undefined,
  anonymous: undefined,
  default: "the rule's default",
  shedder: "every plan alike",
  none: "the rule names no amount for it",
  "not matched": "the rule does not match it",
} as const;

function LimitCell({ cell }: { cell: MatrixCell | undefined }) {
  if (cell === undefined) return <span className="text-muted">–</span>;
  const note = NOTES[cell.from];
  const isLimit = cell.from !== "none" && cell.from !== "not matched";
  return (
    <span className="inline-flex flex-col max-sm:items-end">
      <span className={isLimit ? "min-w-24 font-medium tabular-nums text-balance" : "text-muted"}>
        {cell.from === "not matched" ? "not matched" : cell.words}
      </span>
      {(cell.from === "default" || cell.from === "shedder") && (
        <span className="text-xs text-muted">{note}</span>
      )}
    </span>
  );
}
