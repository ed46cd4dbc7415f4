import type { ReactNode } from "react";
import { clientHref } from "@/components/clients/client-href";
import { formatCount } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { Num } from "@/components/ui/num";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { Report } from "@/lib/core/api/report";
import { OTHER_CLIENTS } from "@/lib/core/counts";
import { ShareBar } from "./share-bar";

type TopClient = Report["topClients"][number];

type ClientsTableProps = {
  mode: "shadow" | "enforce";
  rows: readonly TopClient[];
  planName: (id: string) => string;
  /** Address of the figures of this client alone; null while they are shown. */
  onlyHref: ((client: string) => string) | null;
  empty: ReactNode;
};

/** Who loses most: the share of their own traffic, and how far their busiest minute is above the limit. */
export function ClientsTable({ mode, rows, planName, onlyHref, empty }: ClientsTableProps) {
  const verb = mode === "shadow" ? "Would reject" : "Rejected";
  return (
    <Table label="Top clients" stack framed={false}>
      <TableHead>
        <Tr>
          <Th>Client</Th>
          <Th>Plan</Th>
          <Th align="end">{verb}</Th>
          <Th align="end">Requests</Th>
          <Th className="w-40">Share of its own</Th>
          <Th>Busiest minute, and its limit</Th>
          <Th>
            <span className="sr-only">Lookup</span>
          </Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.length === 0 && <EmptyRow columns={7}>{empty}</EmptyRow>}
        {rows.map((row) => (
          <Tr key={`${row.client} ${row.plan}`}>
            <RowHead className="max-w-64">
              <ClientName client={row.client} onlyHref={onlyHref} />
            </RowHead>
            <Td label="Plan">
              <UserText>{planName(row.plan)}</UserText>
            </Td>
            <Td label={verb} align="end">
              <Num value={row.rejections} />
            </Td>
            <Td label="Requests" align="end">
              <Num value={row.requests} />
            </Td>
            <Td label="Share of its own">
              <ShareBar
                share={row.requests === 0 ? null : row.rejections / row.requests}
                mode={mode}
              />
            </Td>
            <Td label="Busiest minute">
              <Peak peak={row.peak} />
            </Td>
            <Td align="end">
              {row.client !== OTHER_CLIENTS && (
                <TextLink
                  href={clientHref(row.client)}
                  prefetch={false}
                  aria-label={`Look up ${row.client}`}
                  className="whitespace-nowrap"
                >
                  Look up
                </TextLink>
              )}
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function ClientName({
  client,
  onlyHref,
}: { client: string } & Pick<ClientsTableProps, "onlyHref">) {
  if (client === OTHER_CLIENTS)
    return <span className="font-normal">all further clients together</span>;
  const name = (
    <UserText code truncate className="max-w-60">
      {client}
    </UserText>
  );
  if (onlyHref === null) return name;
  return (
    <TextLink href={onlyHref(client)} prefetch={false}>
      {name}
    </TextLink>
  );
}

function Peak({ peak }: Pick<TopClient, "peak">) {
  if (peak === null) return <Num value={null} />;
  const { perMinute, limit } = peak;
  const most = limit?.perMinute ?? null;
  const isAbove = most !== null && perMinute > most;
  return (
    <span className="flex flex-col max-sm:items-end max-sm:text-end">
      <span>
        <Num value={perMinute} className={isAbove ? "font-semibold text-danger" : "font-medium"} />
        {most !== null && <span> · at most {formatCount(most)} can pass</span>}
      </span>
      <span className="text-sm text-muted">
        {limit === null ? (
          "no limit now"
        ) : (
          <>
            {limit.isOverride ? "override: " : "limit: "}
            <UserText>{limit.words}</UserText>
          </>
        )}
      </span>
    </span>
  );
}
