import type { ReactNode } from "react";
import { Num } from "@/components/ui/num";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { ShareBar } from "./share-bar";

export type FigureRow = {
  key: string;
  name: ReactNode;
  requests: number;
  rejections: number;
  clients?: number;
};

type FiguresTableProps = {
  label: string;
  /** Heading of the first column. */
  head: string;
  mode: "shadow" | "enforce";
  rows: readonly FigureRow[];
  empty: ReactNode;
};

/** Requests and refusals by plan or route, with a bar for the share that is refused. */
export function FiguresTable({ label, head, mode, rows, empty }: FiguresTableProps) {
  const withClients = rows.some(({ clients }) => clients !== undefined);
  const verb = mode === "shadow" ? "Would reject" : "Rejected";
  return (
    <Table label={label} stack framed={false}>
      <TableHead>
        <Tr>
          <Th>{head}</Th>
          <Th align="end">{verb}</Th>
          <Th align="end">Requests</Th>
          {withClients && <Th align="end">Clients</Th>}
          <Th className="w-40">Share</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.length === 0 && <EmptyRow columns={4 + Number(withClients)}>{empty}</EmptyRow>}
        {rows.map((row) => (
          <Tr key={row.key}>
            <RowHead className="max-w-64">{row.name}</RowHead>
            <Td label={verb} align="end">
              <Num value={row.rejections} />
            </Td>
            <Td label="Requests" align="end">
              <Num value={row.requests} />
            </Td>
            {withClients && (
              <Td label="Clients" align="end">
                <Num value={row.clients} />
              </Td>
            )}
            <Td label="Share">
              <ShareBar
                share={row.requests === 0 ? null : row.rejections / row.requests}
                mode={mode}
              />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
