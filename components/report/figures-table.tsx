import type { ReactNode } from "react";
import { Num } from "@/components/ui/num";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";

export type FigureRow = {
  key: string;
  name: ReactNode;
  plan?: ReactNode;
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
  shareHead?: string;
  empty: string;
};

/** Requests and refusals by plan, client or route, with a bar for the share that is refused. */
export function FiguresTable(props: FiguresTableProps) {
  const { label, head, mode, rows, shareHead = "Share", empty } = props;
  const withPlan = rows.some(({ plan }) => plan !== undefined);
  const withClients = rows.some(({ clients }) => clients !== undefined);
  const verb = mode === "shadow" ? "Would reject" : "Rejected";
  const columns = 4 + Number(withPlan) + Number(withClients);
  return (
    <Table label={label} stack framed={false}>
      <TableHead>
        <Tr>
          <Th>{head}</Th>
          {withPlan && <Th>Plan</Th>}
          <Th align="end">{verb}</Th>
          <Th align="end">Requests</Th>
          {withClients && <Th align="end">Clients</Th>}
          <Th className="w-40">{shareHead}</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.length === 0 && <EmptyRow columns={columns}>{empty}</EmptyRow>}
        {rows.map((row) => (
          <Tr key={row.key}>
            <RowHead className="max-w-64">{row.name}</RowHead>
            {withPlan && <Td label="Plan">{row.plan}</Td>}
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
            <Td label={shareHead}>
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

function ShareBar({ share, mode }: { share: number | null; mode: "shadow" | "enforce" }) {
  return (
    <span className="flex items-center gap-2">
      <span className="w-14 text-end">
        <Num value={share} as="share" />
      </span>
      <span aria-hidden className="h-1.5 w-20 overflow-hidden rounded-full bg-sunken">
        <span
          className={mode === "shadow" ? "block h-full bg-shadow" : "block h-full bg-enforce"}
          style={{ width: share === null || share === 0 ? 0 : `max(2px, ${share * 100}%)` }}
        />
      </span>
    </span>
  );
}
