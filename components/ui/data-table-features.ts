import {
  columnFilteringFeature,
  createColumnHelper,
  createFilteredRowModel,
  createPaginatedRowModel,
  createSortedRowModel,
  filterFn_includesString,
  globalFilteringFeature,
  metaHelper,
  type RowData,
  rowPaginationFeature,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  sortFn_datetime,
  sortFn_text,
  tableFeatures,
} from "@tanstack/react-table";

export type ColumnMeta = {
  align?: "start" | "end";
  /** Column name for stacked rows; a plain-text header is used when absent. `""` shows none. */
  label?: string;
  /** The cell that names the row. */
  rowHead?: boolean;
  className?: string;
};

export const dataTableFeatures = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  rowPaginationFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  filterFns: { includesString: filterFn_includesString },
  sortFns: {
    alphanumeric: sortFn_alphanumeric,
    basic: sortFn_basic,
    datetime: sortFn_datetime,
    text: sortFn_text,
  },
  columnMeta: metaHelper<ColumnMeta>(),
});

export type DataTableFeatures = typeof dataTableFeatures;

/** `const column = columnsOf<Rule>()`, then `column.columns([column.accessor("name", {…})])`. */
export function columnsOf<Row extends RowData>() {
  return createColumnHelper<DataTableFeatures, Row>();
}
