import { formatMs } from "@/components/ui/format";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { AlertRow } from "@/lib/core/api/alerts";
import { alertKinds } from "./alert-words";

/** Troubles that are over, those that ended last first. */
export function ResolvedAlerts({ alerts }: { alerts: readonly AlertRow[] }) {
  return (
    <Table label="Resolved alerts" stack>
      <TableHead>
        <Tr>
          <Th>What</Th>
          <Th>About</Th>
          <Th>Raised</Th>
          <Th align="end">Lasted</Th>
          <Th>Looked after by</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {alerts.map((alert) => (
          <Tr key={alert.id}>
            <RowHead className="max-w-md">
              <span className="block break-words">
                <UserText>{alert.message}</UserText>
              </span>
              <span className="block font-normal text-muted">
                {alertKinds[alert.kind] ?? alert.kind}, {alert.severity}
              </span>
            </RowHead>
            <Td label="About">
              <UserText code>{alert.subject}</UserText>
            </Td>
            <Td label="Raised">
              <Time at={alert.raisedAt} format="datetime" />
            </Td>
            <Td label="Lasted" align="end">
              {formatMs(lasted(alert))}
            </Td>
            <Td label="Looked after by">
              {alert.acknowledgedBy === null ? (
                <span className="text-muted">nobody</span>
              ) : (
                <UserText>{alert.acknowledgedBy}</UserText>
              )}
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function lasted({ raisedAt, resolvedAt }: AlertRow): number {
  return resolvedAt === null ? 0 : Math.max(0, Date.parse(resolvedAt) - Date.parse(raisedAt));
}
