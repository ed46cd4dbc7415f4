"use client";

import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Field } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import { TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Stop } from "@/lib/core/api/stops";
import type { EndStop } from "./stop-actions-data";

const NAMED_MAX = 5;

/** Stops of enforcement, in force and over. */
export function StopTable({ stops, end }: { stops: readonly Stop[]; end: EndStop }) {
  const [ending, setEnding] = useState<Stop>();
  return (
    <>
      <Table label="Stops of enforcement" stack>
        <TableHead>
          <Tr>
            <Th>What</Th>
            <Th>Why</Th>
            <Th>Since</Th>
            <Th>State</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {stops.map((stop) => (
            <StopLine key={stop.id} stop={stop} onEnd={() => setEnding(stop)} />
          ))}
        </TableBody>
      </Table>
      {ending && <EndDialog stop={ending} end={end} onClose={() => setEnding(undefined)} />}
    </>
  );
}

function StopLine({ stop, onEnd }: { stop: Stop; onEnd: () => void }) {
  const { scope, rules, reason, actor, version, createdAt, expiresAt, endedAt } = stop;
  const more = rules.length - NAMED_MAX;
  return (
    <Tr>
      <RowHead className="align-top">
        {scope === "all" && <p>Everything ({formatPlural(rules.length, "rule")})</p>}
        <ul className={scope === "all" ? "text-sm font-normal text-muted" : ""}>
          {rules.slice(0, NAMED_MAX).map((id) => (
            <li key={id}>
              <TextLink href={`/rules/${encodeURIComponent(id)}`}>
                <UserText code>{id}</UserText>
              </TextLink>
            </li>
          ))}
          {more > 0 && <li>and {more} more</li>}
        </ul>
      </RowHead>
      <Td label="Why" className="align-top">
        <UserText>{reason}</UserText>
      </Td>
      <Td label="Since" className="align-top">
        <div>
          <Time at={createdAt} format="datetime" />
          <p className="text-sm text-muted">
            by <UserText>{actor.name}</UserText>,{" "}
            <TextLink href={`/versions/${version}`}>v{version}</TextLink>
          </p>
        </div>
      </Td>
      <Td label="State" className="align-top">
        {endedAt === null ? (
          <div>
            <Status tone="warning">in shadow</Status>
            <p className="text-sm text-muted">
              until <Time at={expiresAt} format="datetime" />
            </p>
          </div>
        ) : (
          <div className="max-w-96">
            <Status tone="neutral">over</Status>
            <p className="text-sm text-muted">
              <Time at={endedAt} format="datetime" />, by{" "}
              <UserText>{stop.endedBy?.name ?? "Headgate"}</UserText>
              {stop.endedVersion !== null && (
                <>
                  ,{" "}
                  <TextLink href={`/versions/${stop.endedVersion}`}>v{stop.endedVersion}</TextLink>
                </>
              )}
              {stop.outcome && (
                <>
                  : <UserText>{stop.outcome}</UserText>
                </>
              )}
            </p>
          </div>
        )}
      </Td>
      <Td className="align-top">
        {endedAt === null && (
          <span className="flex justify-end">
            <PermittedButton needs="rollback" size="sm" onClick={onEnd}>
              Enforce again…
            </PermittedButton>
          </span>
        )}
      </Td>
    </Tr>
  );
}

function EndDialog({ stop, end, onClose }: { stop: Stop; end: EndStop; onClose: () => void }) {
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Enforce ${formatPlural(stop.rules.length, "rule")} again`}
      description="As they were before the stop, counters going on. A rule that was changed, removed or rolled back meanwhile stays as it is now."
      confirmLabel="Enforce again"
      pendingLabel="Enforcing…"
      onConfirm={async () => {
        const result = await callAction(end, {
          id: stop.id,
          ...(reason.trim() === "" ? {} : { reason }),
        });
        return result.ok ? undefined : { error: result.message };
      }}
    >
      <Field label="Reason" optional hint="Goes to the audit log.">
        <Input value={reason} maxLength={500} onValueChange={setReason} />
      </Field>
    </ConfirmDialog>
  );
}
