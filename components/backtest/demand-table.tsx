import { formatCount, formatMs } from "@/components/ui/format";
import { Num } from "@/components/ui/num";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import type { PlanDemandRow } from "@/lib/core/api/backtests";
import { amountText } from "./backtest-words";

type DemandTableProps = {
  rows: readonly PlanDemandRow[];
  names: ReadonlyMap<string, string>;
  /** What the rule counts by is not always a client. */
  countsClients: boolean;
};

const COLUMNS = [
  ["p50", "Half of them"],
  ["p90", "90%"],
  ["p99", "99%"],
  ["max", "Busiest"],
] as const;

/** What clients really do, beside what the rule allows and what it could. */
export function DemandTable({ rows, names, countsClients }: DemandTableProps) {
  const unit = countsClients ? "Clients" : "Buckets";
  return (
    <Table label="What clients really do" stack framed={false}>
      <TableHead>
        <Tr>
          <Th>Plan</Th>
          <Th align="end">{unit}</Th>
          {COLUMNS.map(([key, label]) => (
            <Th key={key} align="end">
              {label}
            </Th>
          ))}
          <Th>Limit</Th>
          <Th>Proposed</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <Tr key={row.plan}>
            <RowHead className="max-w-56">
              <bdi>{names.get(row.plan) ?? row.plan}</bdi>
              <span className="block font-normal text-muted">
                in any {formatMs(row.windowSeconds * 1000)}
              </span>
            </RowHead>
            <Td label={unit} align="end">
              <Num value={row.buckets} />
            </Td>
            {COLUMNS.map(([key, label]) => (
              <Td key={key} label={label} align="end">
                <Num value={Math.ceil(row.peaks[key])} />
              </Td>
            ))}
            <Td label="Limit">
              <AmountCell limit={row.limit} above={row.estimate.clientsRejected} />
            </Td>
            <Td label="Proposed">
              <AmountCell
                limit={row.proposed.limit}
                above={row.proposed.estimate.clientsRejected}
              />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function AmountCell({ limit, above }: { limit: PlanDemandRow["limit"]; above: number }) {
  return (
    <>
      <span className="tabular-nums">{amountText(limit)}</span>
      <span className="block text-muted">
        {above === 0
          ? "nobody above it"
          : `${formatCount(above)} ${above === 1 ? "client" : "clients"} above it`}
      </span>
    </>
  );
}
