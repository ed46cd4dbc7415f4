"use client";

import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { clientHref } from "@/components/clients/client-href";
import { PermittedButton } from "@/components/shell/permissions";
import { cn } from "@/components/ui/cn";
import { RowLink, TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { LastUsed, Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { OverrideRow } from "@/lib/core/api/overrides";
import { EndOverrideDialog } from "./end-override-dialog";
import type { OverrideActions, RuleChoice } from "./override-actions";
import { OverrideDialog } from "./override-dialog";
import { changeLook, planGives, STATE_WORDS } from "./override-words";

type OverrideTableProps = {
  rows: readonly OverrideRow[];
  rules: readonly RuleChoice[];
  ipv6PrefixLength: number;
  owner: string;
  actions: OverrideActions;
  empty: string;
};

type Open = { kind: "edit" | "end"; row: OverrideRow };

export function OverrideTable({ rows, empty, ...dialog }: OverrideTableProps) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Table label="Overrides" stack>
        <TableHead>
          <Tr>
            <Th>Client</Th>
            <Th>Rule</Th>
            <Th>Plan gives → override gives</Th>
            <Th>Expires</Th>
            <Th>Owner and reason</Th>
            <Th>Last used</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {rows.length === 0 && <EmptyRow columns={7}>{empty}</EmptyRow>}
          {rows.map((row) => (
            <OverrideLine key={row.id} row={row} onOpen={setOpen} />
          ))}
        </TableBody>
      </Table>
      {open?.kind === "edit" && <OverrideDialog row={open.row} onClose={close} {...dialog} />}
      {open?.kind === "end" && (
        <EndOverrideDialog row={open.row} end={dialog.actions.end} onClose={close} />
      )}
    </>
  );
}

function OverrideLine({ row, onOpen }: { row: OverrideRow; onOpen: (open: Open) => void }) {
  const isCurrent = row.state === "active" || row.state === "ignored";
  const isRuleThere = row.ruleName !== "";
  return (
    <Tr>
      <RowHead>
        <ClientName row={row} />
      </RowHead>
      <Td label="Rule">
        {isRuleThere ? (
          <RowLink href={`/rules/${encodeURIComponent(row.rule)}`}>
            <UserText truncate className="max-w-44">
              {row.ruleName}
            </UserText>
          </RowLink>
        ) : (
          <UserText code>{row.rule}</UserText>
        )}
      </Td>
      <Td label="Limit">
        <Change row={row} />
      </Td>
      <Td label="Expires">
        <State row={row} />
      </Td>
      <Td label="Owner, reason" className="max-w-56">
        <span className="flex min-w-0 flex-col max-sm:items-end">
          <UserText truncate>{row.owner}</UserText>
          <UserText className="line-clamp-2 text-sm text-muted">{row.reason}</UserText>
        </span>
      </Td>
      <Td label="Last used">
        <LastUsed at={row.lastUsedAt} />
      </Td>
      <Td>
        {isCurrent ? (
          <span className="flex justify-end gap-1.5">
            <PermittedButton
              needs="raise"
              size="sm"
              disabled={!isRuleThere}
              aria-label={`Change override ${row.id}`}
              onClick={() => onOpen({ kind: "edit", row })}
            >
              Change
            </PermittedButton>
            <PermittedButton
              needs="keys"
              size="sm"
              variant="ghost"
              className="text-danger"
              aria-label={`End override ${row.id}`}
              onClick={() => onOpen({ kind: "end", row })}
            >
              End
            </PermittedButton>
          </span>
        ) : (
          <span className="flex justify-end">
            <TextLink href={`/audit?object=${encodeURIComponent(row.id)}`} prefetch={false}>
              Audit
            </TextLink>
          </span>
        )}
      </Td>
    </Tr>
  );
}

function ClientName({ row: { client, clientFacts } }: { row: OverrideRow }) {
  const { prefix, plan } = clientFacts;
  const name = client === `customer:${clientFacts.name}` ? "" : clientFacts.name;
  return (
    <span className="flex min-w-0 flex-col font-normal">
      {name !== "" && (
        <UserText truncate className="max-w-48 font-medium">
          {name}
        </UserText>
      )}
      <RowLink href={clientHref(client)} className="max-w-48">
        <UserText
          code
          truncate
          className={cn("max-w-48", name === "" ? "font-medium" : "text-muted")}
        >
          {client}
        </UserText>
      </RowLink>
      <span className="text-sm whitespace-nowrap text-muted">
        {prefix !== "" && <code className="font-mono">{prefix}… · </code>}
        plan <UserText>{plan}</UserText>
      </span>
    </span>
  );
}

function Change({ row }: { row: OverrideRow }) {
  const look = row.change === null ? null : changeLook(row.change);
  return (
    <span className="inline-flex flex-col max-sm:items-end max-sm:text-end">
      <span className="tabular-nums">
        <span className="text-muted">{planGives(row)} → </span>
        <span className="font-medium">{row.words}</span>
      </span>
      {look !== null && (
        <span
          className={cn(
            "text-sm",
            look.tone === "success"
              ? "text-success"
              : look.tone === "danger"
                ? "text-danger"
                : "text-warning",
            look.isLoud && "font-semibold",
          )}
        >
          {look.isLoud && <TriangleAlert aria-hidden className="me-1 mb-0.5 inline size-3.5" />}
          {look.text}
        </span>
      )}
      {row.change?.direction === "same" && (
        <span className="text-sm text-muted">the same: it changes nothing</span>
      )}
      {row.why !== "" && <UserText className="max-w-72 text-sm text-warning">{row.why}</UserText>}
      {row.planWords === "not matched" && (
        <span className="text-sm text-warning">
          the rule does not match this plan: it changes nothing
        </span>
      )}
    </span>
  );
}

/** Of one that runs: until when. Of one that does not: since when. */
function State({ row: { state, endedAt, expiresAt } }: { row: OverrideRow }) {
  const { label, tone } = STATE_WORDS[state];
  return (
    <span className="inline-flex flex-col max-sm:items-end">
      <span className="inline-flex flex-wrap items-center gap-x-1.5">
        <Status tone={tone}>{label}</Status>
        <Time at={endedAt ?? expiresAt} show="age" />
      </span>
      <Time at={endedAt ?? expiresAt} show="absolute" className="text-sm text-muted" />
    </span>
  );
}
