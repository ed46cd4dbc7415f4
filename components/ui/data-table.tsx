"use client";

import { type ColumnDef, type RowData, type SortingState, useTable } from "@tanstack/react-table";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { type ReactNode, useMemo } from "react";
import { type DataTableFeatures, dataTableFeatures } from "./data-table-features";
import { DataTableBody, DataTableHead } from "./data-table-parts";
import { type Noun, Pagination } from "./pagination";
import { SearchInput } from "./search-input";
import { Table } from "./table";

export { columnsOf } from "./data-table-features";

type DataTableProps<Row extends RowData> = {
  /** Name of the table, such as "Rules". */
  label: string;
  noun: Noun;
  rows: readonly Row[];
  // biome-ignore lint/suspicious/noExplicitAny: a column list mixes value types, as TanStack's own options do
  columns: readonly ColumnDef<DataTableFeatures, Row, any>[];
  getRowId: (row: Row) => string;
  /** As `name.desc` or `name.asc`; must name a column id. */
  defaultSort?: string;
  pageSize?: number;
  search?: boolean;
  /** Put before the address's `q`, `sort`, `page`, when a page has several tables. */
  urlPrefix?: string;
  /** Filters or buttons beside the search field. */
  toolbar?: ReactNode;
  /** Shown when there are no rows at all (not when a search finds none). */
  empty: ReactNode;
  framed?: boolean;
};

/** Sorts, searches and pages rows that are all in the browser; the state is in the address. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const {
    label,
    noun,
    rows,
    columns,
    getRowId,
    defaultSort,
    pageSize = 50,
    urlPrefix = "",
  } = props;
  const search = props.search ?? true;
  const [url, setUrl] = useQueryStates(
    { q: parseAsString.withDefault(""), sort: parseAsString, page: parseAsInteger.withDefault(1) },
    {
      urlKeys: { q: `${urlPrefix}q`, sort: `${urlPrefix}sort`, page: `${urlPrefix}page` },
      history: "replace",
    },
  );
  const sorting = useMemo(() => parseSort(url.sort ?? defaultSort), [url.sort, defaultSort]);
  const globalFilter = url.q.trim();
  const pagination = { pageIndex: Math.max(0, url.page - 1), pageSize };

  const table = useTable({
    features: dataTableFeatures,
    data: rows,
    columns,
    getRowId,
    globalFilterFn: "includesString",
    getColumnCanGlobalFilter: (column) => column.accessorFn !== undefined,
    autoResetPageIndex: false,
    enableSortingRemoval: false,
    state: { sorting, globalFilter, pagination },
    onSortingChange: (updater) => {
      const next = typeof updater === "function" ? updater(sorting) : updater;
      setUrl({ sort: writeSort(next), page: null }).catch(ignoreNavigation);
    },
  });

  const total = table.getFilteredRowModel().rows.length;
  const lastPage = Math.max(0, Math.ceil(total / pageSize) - 1);
  if (pagination.pageIndex > lastPage) table.setPageIndex(lastPage);

  if (rows.length === 0) {
    return (
      <div className="flex flex-col gap-3">
        {props.toolbar}
        <div className="rounded-lg border bg-surface">{props.empty}</div>
      </div>
    );
  }

  return (
    <div className="flex min-w-0 flex-col gap-3">
      {(search || props.toolbar) && (
        <div className="flex flex-wrap items-center gap-2">
          {search && (
            <SearchInput
              slashKey={urlPrefix === ""}
              label={`Search ${noun.many}`}
              value={url.q}
              onValueChange={(q) => {
                setUrl({ q: q === "" ? null : q, page: null }).catch(ignoreNavigation);
              }}
            />
          )}
          {props.toolbar}
        </div>
      )}
      <Table label={label} stack framed={props.framed ?? true}>
        <DataTableHead groups={table.getHeaderGroups()} />
        <DataTableBody rows={table.getRowModel().rows} columns={columns.length}>
          No {noun.one} matches <bdi>“{globalFilter}”</bdi>.
        </DataTableBody>
      </Table>
      <Pagination
        page={Math.min(pagination.pageIndex, lastPage)}
        pageSize={pageSize}
        total={total}
        unfilteredTotal={rows.length}
        noun={noun}
        onPageChange={(page) => {
          setUrl({ page: page === 0 ? null : page + 1 }).catch(ignoreNavigation);
        }}
      />
    </div>
  );
}

function parseSort(text: string | undefined): SortingState {
  const match = /^(.+)\.(asc|desc)$/.exec(text ?? "");
  return match?.[1] ? [{ id: match[1], desc: match[2] === "desc" }] : [];
}

function writeSort(sorting: SortingState): string | null {
  const first = sorting[0];
  return first ? `${first.id}.${first.desc ? "desc" : "asc"}` : null;
}

/** nuqs rejects an update that a newer navigation replaced; the newer one is what the reader wants. */
function ignoreNavigation(_error: unknown): void {}
