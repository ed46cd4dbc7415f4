import { RowLink } from "@/components/ui/link";
import { Num } from "@/components/ui/num";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { BacktestRow } from "@/lib/core/api/backtests";
import type { EndBacktest } from "./backtest-actions-data";
import { BacktestStatus } from "./backtest-status";
import { sourceText } from "./backtest-words";
import { DeleteBacktest } from "./delete-backtest";

type TableProps = { rows: readonly BacktestRow[]; remove: EndBacktest };

/** Of everybody, newest first. */
export function BacktestTable({ rows, remove }: TableProps) {
  return (
    <Table label="Backtests" stack>
      <TableHead>
        <Tr>
          <Th>Of</Th>
          <Th>State</Th>
          <Th>Requests from</Th>
          <Th align="end">Requests</Th>
          <Th>Asked for</Th>
          <Th>Delete</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <Tr key={row.id}>
            <RowHead className="max-w-72">
              <RowLink href={`/backtest/${row.id}`}>
                <UserText>{row.name}</UserText>
              </RowLink>
              <span className="block font-normal text-muted">
                {row.ruleset === "draft" ? "a draft" : "live"} on version {row.version}
                {row.replaced.length > 0 && ", with another limit"}
              </span>
            </RowHead>
            <Td label="State">
              <BacktestStatus {...row} />
            </Td>
            <Td label="Requests from" className="max-w-72">
              <UserText>{sourceText(row)}</UserText>
              {row.speed !== 1 && <span className="text-muted">, {row.speed} times as fast</span>}
            </Td>
            <Td label="Requests" align="end">
              <Num value={row.state === "waiting" ? null : row.requests} />
            </Td>
            <Td label="Asked for">
              <Time at={row.createdAt} show="stacked" />
              <span className="block text-muted">
                by <UserText>{row.actor.name}</UserText>
              </span>
            </Td>
            <Td label="Delete">
              <DeleteBacktest row={row} remove={remove} />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
