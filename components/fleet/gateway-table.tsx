"use client";

import { type ReactNode, useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { Button } from "@/components/ui/button";
import { formatCount, formatMs } from "@/components/ui/format";
import { Num } from "@/components/ui/num";
import { Status } from "@/components/ui/status";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { GatewayRow } from "@/lib/core/api/gateways";
import { DismissDialog } from "./dismiss-dialog";
import type { DismissGateway } from "./gateway-actions";
import { GatewayDialog } from "./gateway-dialog";
import { gatewayStates, sourceWords, stoppedWords } from "./gateway-words";

type GatewayTableProps = { gateways: readonly GatewayRow[]; dismissGateway: DismissGateway };

const SLOW_CHECK_MS = 30_000;

/** What each gateway runs, from where it has it, and how it decides. */
export function GatewayTable({ gateways, dismissGateway }: GatewayTableProps) {
  const [shownId, setShownId] = useState<string>();
  const [dismissed, setDismissed] = useState<GatewayRow>();
  const shown = gateways.find(({ id }) => id === shownId);
  return (
    <>
      <Table label="Gateways" stack>
        <TableHead>
          <Tr>
            <Th>Gateway</Th>
            <Th>State</Th>
            <Th>Version</Th>
            <Th>Decides by</Th>
            <Th>Rules from</Th>
            <Th>Directory</Th>
            <Th align="end">Requests/s</Th>
            <Th>Build</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {gateways.map((gateway) => (
            <GatewayLine
              key={gateway.id}
              gateway={gateway}
              onShow={() => setShownId(gateway.id)}
              onDismiss={() => setDismissed(gateway)}
            />
          ))}
        </TableBody>
      </Table>
      {shown && <GatewayDialog gateway={shown} onClose={() => setShownId(undefined)} />}
      {dismissed && (
        <DismissDialog
          gateway={dismissed}
          dismissGateway={dismissGateway}
          onClose={() => setDismissed(undefined)}
        />
      )}
    </>
  );
}

type LineProps = { gateway: GatewayRow; onShow: () => void; onDismiss: () => void };

function GatewayLine({ gateway, onShow, onDismiss }: LineProps) {
  const { id, state, build, requestsPerSecond, lastSeenAt, error, refused, stopEnforcing } =
    gateway;
  const { tone, word } = gatewayStates[state];
  const isLive = state === "live";
  return (
    <Tr>
      <RowHead className="align-top">
        <UserText code className="break-all">
          {id}
        </UserText>
        {refused && (
          <p className="max-w-96 text-sm font-normal text-danger">
            refused v{refused.version}: <UserText>{refused.reason}</UserText>
          </p>
        )}
        {stopEnforcing && (
          <p className="max-w-96 text-sm font-normal text-warning">
            does not enforce <UserText>{stoppedWords(stopEnforcing.rules)}</UserText>, by{" "}
            {stopEnforcing.by.join(" and ")}, since <Time at={stopEnforcing.since} format="time" />
          </p>
        )}
        {error && (
          <p className="max-w-96 text-sm font-normal text-danger">
            <UserText>{error}</UserText>
          </p>
        )}
      </RowHead>
      <Td label="State" className="align-top">
        <TwoLines
          first={<Status tone={tone}>{word}</Status>}
          second={
            <>
              {isLive ? "heard " : "last heard "}
              <Time at={lastSeenAt} show={isLive ? "age" : "inline"} format="datetime" />
            </>
          }
        />
      </Td>
      <Td label="Version" className="align-top">
        <VersionCell gateway={gateway} />
      </Td>
      <Td label="Decides by" className="align-top">
        <TwoLines
          first={
            gateway.mode === "shared" ? (
              <Status tone={isLive ? "success" : "neutral"}>shared counters</Status>
            ) : (
              <Status tone="danger">its own share</Status>
            )
          }
          second={
            <>
              since <Time at={gateway.modeSince} format="time" />
            </>
          }
        />
      </Td>
      <Td label="Rules from" className="align-top">
        <SourceCell gateway={gateway} />
      </Td>
      <Td label="Directory" className="align-top">
        <DirectoryCell gateway={gateway} />
      </Td>
      <Td label="Requests/s" align="end" className="align-top">
        <Num value={isLive ? Math.round(requestsPerSecond) : null} />
      </Td>
      <Td label="Build" className="align-top">
        <UserText code truncate className="max-w-28">
          {build}
        </UserText>
      </Td>
      <Td className="align-top">
        <span className="flex flex-wrap justify-end gap-1.5">
          <Button size="sm" aria-label={`Details of ${id}`} onClick={onShow}>
            Details
          </Button>
          {!isLive && (
            <PermittedButton
              needs="operate"
              size="sm"
              aria-label={`Dismiss ${id}`}
              onClick={onDismiss}
            >
              Dismiss
            </PermittedButton>
          )}
        </span>
      </Td>
    </Tr>
  );
}

function VersionCell({ gateway: { version, behind, appliedAt } }: { gateway: GatewayRow }) {
  if (version === null) return <Status tone="warning">none yet</Status>;
  return (
    <TwoLines
      first={
        <Status tone={behind === 0 ? "success" : "warning"}>
          v{version}
          {behind !== null && behind > 0 && `, ${formatCount(behind)} behind`}
        </Status>
      }
      second={
        appliedAt && (
          <>
            applied <Time at={appliedAt} show="age" />
          </>
        )
      }
    />
  );
}

function SourceCell({ gateway: { source, checkedAgoMs } }: { gateway: GatewayRow }) {
  const isLate = checkedAgoMs !== null && checkedAgoMs > SLOW_CHECK_MS;
  return (
    <TwoLines
      first={
        source === null ? (
          <span className="text-muted">nowhere yet</span>
        ) : (
          <Status tone={source === "file" ? "warning" : "neutral"}>{sourceWords[source]}</Status>
        )
      }
      second={
        <span className={isLate ? "text-warning" : ""}>
          {checkedAgoMs === null ? "never compared" : `compared ${formatMs(checkedAgoMs)} before`}
        </span>
      }
    />
  );
}

/** One child, so that a stacked row lays it out as one. */
function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <div className="min-w-0">
      {first}
      {second && <div className="text-sm text-muted">{second}</div>}
    </div>
  );
}

function DirectoryCell({ gateway: { directory } }: { gateway: GatewayRow }) {
  if (directory === null) return <Status tone="warning">none yet</Status>;
  const { seq, complete, behind } = directory;
  if (!complete) return <Status tone="warning">incomplete, at {formatCount(seq)}</Status>;
  return (
    <Status tone={behind === 0 ? "success" : "pending"}>
      {formatCount(seq)}
      {behind > 0 && `, ${formatCount(behind)} behind`}
    </Status>
  );
}
