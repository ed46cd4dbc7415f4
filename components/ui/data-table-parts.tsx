import { FlexRender, type HeaderGroup, type Row, type RowData } from "@tanstack/react-table";
import type { ReactNode } from "react";
import type { DataTableFeatures } from "./data-table-features";
import { EmptyRow, RowHead, SortTh, TableBody, TableHead, Td, Th, Tr } from "./table";

type HeadProps<Data extends RowData> = { groups: HeaderGroup<DataTableFeatures, Data>[] };

export function DataTableHead<Data extends RowData>({ groups }: HeadProps<Data>) {
  return (
    <TableHead>
      {groups.map((group) => (
        <Tr key={group.id}>
          {group.headers.map((header) => {
            const { column } = header;
            const align = column.columnDef.meta?.align ?? "start";
            return column.getCanSort() ? (
              <SortTh
                key={header.id}
                align={align}
                direction={column.getIsSorted()}
                onSort={() => column.toggleSorting()}
              >
                <FlexRender header={header} />
              </SortTh>
            ) : (
              <Th key={header.id} align={align}>
                <FlexRender header={header} />
              </Th>
            );
          })}
        </Tr>
      ))}
    </TableHead>
  );
}

type BodyProps<Data extends RowData> = {
  rows: Row<DataTableFeatures, Data>[];
  columns: number;
  /** Said when no row is left. */
  children: ReactNode;
};

export function DataTableBody<Data extends RowData>({ rows, columns, children }: BodyProps<Data>) {
  return (
    <TableBody>
      {rows.length === 0 && <EmptyRow columns={columns}>{children}</EmptyRow>}
      {rows.map((row) => (
        <Tr key={row.id}>
          {row.getAllCells().map((cell) => {
            const { header, meta } = cell.column.columnDef;
            const named = meta?.label ?? (typeof header === "string" ? header : "");
            const label = named === "" || meta?.rowHead ? {} : { label: named };
            const className = meta?.className ? { className: meta.className } : {};
            return meta?.rowHead ? (
              <RowHead key={cell.id} {...className}>
                <FlexRender cell={cell} />
              </RowHead>
            ) : (
              <Td key={cell.id} align={meta?.align ?? "start"} {...label} {...className}>
                <FlexRender cell={cell} />
              </Td>
            );
          })}
        </Tr>
      ))}
    </TableBody>
  );
}
