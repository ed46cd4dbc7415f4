import { Card } from "@/components/ui/card";
import { formatMs } from "@/components/ui/format";
import { Status, type StatusTone } from "@/components/ui/status";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Convergence } from "@/lib/core/api/versions";

type Gateway = Convergence["gateways"][number];

/** How the gateways of now took a version that is no longer live. */
export function VersionGateways({ convergence }: { convergence: Convergence }) {
  const { gateways } = convergence;
  return (
    <Card
      title="Gateways"
      description="Those heard in the last 24 h, and when each took this version."
      flush
    >
      <Table label="Gateways" stack framed={false}>
        <TableHead>
          <Tr>
            <Th>Gateway</Th>
            <Th>This version</Th>
            <Th>Applied</Th>
            <Th align="end">Took</Th>
            <Th>Runs now</Th>
          </Tr>
        </TableHead>
        <TableBody>
          {gateways.length === 0 && <EmptyRow columns={5}>No gateway is known now.</EmptyRow>}
          {gateways.map((gateway) => (
            <GatewayLine key={gateway.id} gateway={gateway} />
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

function GatewayLine({ gateway }: { gateway: Gateway }) {
  const { id, appliedAt, tookMs, version, reason } = gateway;
  const { tone, words } = stateOf(gateway);
  return (
    <Tr>
      <RowHead>
        <UserText code>{id}</UserText>
      </RowHead>
      <Td label="This version">
        <div className="min-w-0">
          <Status tone={tone}>{words}</Status>
          {reason && <p className="text-sm text-danger">{reason}</p>}
        </div>
      </Td>
      <Td label="Applied">
        {appliedAt === null ? (
          <span className="text-muted">never</span>
        ) : (
          <Time at={appliedAt} format="datetime" />
        )}
      </Td>
      <Td label="Took" align="end">
        {tookMs === null ? "–" : formatMs(tookMs)}
      </Td>
      <Td label="Runs now">{version === null ? "nothing yet" : `v${version}`}</Td>
    </Tr>
  );
}

function stateOf({ state, appliedAt }: Gateway): { tone: StatusTone; words: string } {
  switch (state) {
    case "applied":
      return { tone: "success", words: "applied" };
    case "superseded":
      return appliedAt === null
        ? { tone: "neutral", words: "skipped: went to a newer one" }
        : { tone: "neutral", words: "applied, then went on" };
    case "pending":
      return { tone: "pending", words: "not yet" };
    case "refused":
      return { tone: "danger", words: "refused it" };
    case "silent":
      return { tone: "warning", words: "silent" };
  }
}
