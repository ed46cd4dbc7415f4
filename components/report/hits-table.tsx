import type { ReactNode } from "react";
import { ModeBadge } from "@/components/rules/mode-badge";
import { TextLink } from "@/components/ui/link";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { HitRow } from "@/lib/core/api/hits";
import { HitCells } from "./hit-cells";

type HitsTableProps = {
  label: string;
  hits: readonly HitRow[];
  /** Address of the log with only this client. */
  clientHref: (client: string) => string;
  empty: ReactNode;
  framed?: boolean;
};

/** Single rejections, real and would-be. */
export function HitsTable({ label, hits, clientHref, empty, framed = true }: HitsTableProps) {
  const modes = new Set(hits.map(({ mode }) => mode));
  const withMode = modes.size > 1 || hits.some(({ lane }) => lane === "candidate");
  return (
    <Table label={label} stack framed={framed}>
      <TableHead>
        <Tr>
          <Th>Time</Th>
          {withMode && <Th>Mode</Th>}
          <Th>Client</Th>
          <Th>Plan</Th>
          <Th>Request</Th>
          <Th align="end">Retry after</Th>
          <Th>Gateway</Th>
          <Th>Version</Th>
          <Th>Request id</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {hits.length === 0 && <EmptyRow columns={withMode ? 9 : 8}>{empty}</EmptyRow>}
        {hits.map((hit) => (
          <Tr key={`${hit.at} ${hit.requestId} ${hit.mode} ${hit.lane}`}>
            <RowHead className="font-normal">
              <Time at={hit.at} format="datetime" show="absolute" />
            </RowHead>
            {withMode && (
              <Td label="Mode">
                <span className="inline-flex items-center gap-1.5">
                  <ModeBadge mode={hit.mode} />
                  {hit.lane === "candidate" && <span className="text-muted">candidate</span>}
                </span>
              </Td>
            )}
            <Td label="Client">
              <TextLink href={clientHref(hit.client)} prefetch={false}>
                <UserText code truncate className="max-w-56">
                  {hit.client}
                </UserText>
              </TextLink>
            </Td>
            <Td label="Plan">
              <UserText>{hit.plan}</UserText>
            </Td>
            <HitCells hit={hit} />
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
