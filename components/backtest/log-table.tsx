"use client";

import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Card } from "@/components/ui/card";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { formatCount } from "@/components/ui/format";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { BacktestLogRow } from "@/lib/core/api/backtests";
import type { DeleteLog } from "./backtest-actions-data";

/** What was uploaded, of everybody, and goes by itself after some days. */
export function LogTable({ logs, remove }: { logs: readonly BacktestLogRow[]; remove: DeleteLog }) {
  if (logs.length === 0) return null;
  return (
    <Card title="Uploaded logs" flush>
      <Table label="Uploaded logs" stack framed={false}>
        <TableHead>
          <Tr>
            <Th>Name</Th>
            <Th align="end">Size</Th>
            <Th>Uploaded</Th>
            <Th>Goes</Th>
            <Th>Delete</Th>
          </Tr>
        </TableHead>
        <TableBody>
          {logs.map((log) => (
            <Tr key={log.id}>
              <RowHead className="max-w-72">
                <UserText>{log.name}</UserText>
                <span className="block font-normal text-muted">
                  by <UserText>{log.actor.name}</UserText>
                </span>
              </RowHead>
              <Td label="Size" align="end">
                <span className="tabular-nums">{formatCount(Math.ceil(log.size / 1024))} KiB</span>
              </Td>
              <Td label="Uploaded">
                <Time at={log.createdAt} show="age" />
              </Td>
              <Td label="Goes">
                <Time at={log.expiresAt} show="age" />
              </Td>
              <Td label="Delete">
                <DeleteButton log={log} remove={remove} />
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

function DeleteButton({ log, remove }: { log: BacktestLogRow; remove: DeleteLog }) {
  return (
    <ConfirmDialog
      title="Delete this log?"
      description="Results on it stay. A backtest that waits for it fails."
      confirmLabel="Delete log"
      pendingLabel="Deleting"
      tone="danger"
      onConfirm={async () => {
        const deleted = await callAction(remove, { id: log.id });
        return deleted.ok ? undefined : { error: deleted.message };
      }}
      trigger={
        <PermittedButton needs="draft" size="sm" aria-label={`Delete log ${log.name}`}>
          Delete
        </PermittedButton>
      }
    />
  );
}
