import { HitCells } from "@/components/report/hit-cells";
import { ModeBadge } from "@/components/rules/mode-badge";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { ClientDetail } from "@/lib/core/api/clients";

/** The newest hits of the log over all rules; a request id leads to its own answer. */
export function ClientDecisions({ decisions }: Pick<ClientDetail, "decisions">) {
  return (
    <Table label="Last decisions" stack framed={false}>
      <TableHead>
        <Tr>
          <Th>Time</Th>
          <Th>Rule</Th>
          <Th>Request</Th>
          <Th align="end">Retry after</Th>
          <Th>Gateway</Th>
          <Th>Version</Th>
          <Th>Request id</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {decisions.length === 0 && (
          <EmptyRow columns={7}>Nothing of this client is in the log that is kept.</EmptyRow>
        )}
        {decisions.map((hit) => (
          <Tr key={`${hit.requestId} ${hit.rule} ${hit.mode} ${hit.lane} ${hit.revision}`}>
            <RowHead className="font-normal">
              <Time at={hit.at} format="datetime" show="absolute" />
            </RowHead>
            <Td label="Rule">
              <span className="flex flex-wrap items-center gap-1.5 max-sm:justify-end">
                <UserText code truncate className="max-w-44">
                  {hit.rule}
                </UserText>
                <ModeBadge mode={hit.mode} />
                {hit.lane === "candidate" && <span className="text-sm text-muted">candidate</span>}
              </span>
            </Td>
            <HitCells hit={hit} />
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
