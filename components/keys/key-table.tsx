"use client";

import { useState } from "react";
import { clientHref } from "@/components/clients/client-href";
import { ClientMenu } from "@/components/clients/client-menu";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { LastUsed, Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { KeyRow } from "@/lib/core/api/keys";
import { EditKeyDialog } from "./edit-key-dialog";
import type { KeyActions, PlanChoice } from "./key-actions";
import { RotateKeyDialog } from "./rotate-key-dialog";

type KeyTableProps = {
  keys: readonly KeyRow[];
  plans: readonly PlanChoice[];
  actions: Pick<KeyActions, "update" | "rotate" | "revoke">;
  gatewayUrl: string;
  empty: string;
};

type Open = { kind: "edit" | "rotate" | "revoke"; row: KeyRow };

export function KeyTable({ keys, plans, actions, gatewayUrl, empty }: KeyTableProps) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Table label="API keys" stack>
        <TableHead>
          <Tr>
            <Th>Name</Th>
            <Th>Key</Th>
            <Th>Client</Th>
            <Th>Customer</Th>
            <Th>Plan</Th>
            <Th>Created</Th>
            <Th>Last used</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {keys.length === 0 && <EmptyRow columns={8}>{empty}</EmptyRow>}
          {keys.map((row) => (
            <KeyLine key={row.id} row={row} plans={plans} onOpen={setOpen} />
          ))}
        </TableBody>
      </Table>
      {open?.kind === "edit" && (
        <EditKeyDialog row={open.row} plans={plans} update={actions.update} onClose={close} />
      )}
      {open?.kind === "rotate" && (
        <RotateKeyDialog
          row={open.row}
          rotate={actions.rotate}
          gatewayUrl={gatewayUrl}
          onClose={close}
        />
      )}
      {open?.kind === "revoke" && (
        <RevokeDialog row={open.row} revoke={actions.revoke} onClose={close} />
      )}
    </>
  );
}

type LineProps = { row: KeyRow; plans: readonly PlanChoice[]; onOpen: (open: Open) => void };

function KeyLine({ row, plans, onOpen }: LineProps) {
  const plan = plans.find(({ id }) => id === row.plan);
  const isRevoked = row.revokedAt !== null;
  return (
    <Tr>
      <RowHead>
        <UserText truncate className="max-w-56">
          {row.name}
        </UserText>
      </RowHead>
      <Td label="Key">
        <code className="font-mono text-[0.9285em]">{row.prefix}…</code>
        {row.previousUntil !== null && (
          <span className="block text-xs text-muted">
            old text ends <Time at={row.previousUntil} show="age" />
          </span>
        )}
      </Td>
      <Td label="Client">
        <TextLink href={clientHref(`key:${row.id}`)} prefetch={false}>
          <UserText code truncate className="max-w-44">
            {`key:${row.id}`}
          </UserText>
        </TextLink>
      </Td>
      <Td label="Customer">
        <TextLink href={`/keys?customer=${encodeURIComponent(row.customer)}`} prefetch={false}>
          <UserText truncate className="max-w-44">
            {row.customer}
          </UserText>
        </TextLink>
      </Td>
      <Td label="Plan">
        {plan ? (
          <UserText>{plan.name}</UserText>
        ) : (
          <span title="This plan is not in the live version: gateways use the default plan">
            <Status tone="warning">{row.plan}</Status>
          </span>
        )}
      </Td>
      <Td label="Created">
        <Time at={row.createdAt} show="age" />
      </Td>
      <Td label="Last used">
        <LastUsed at={row.lastUsedAt} />
      </Td>
      <Td>
        <span className="flex flex-wrap items-center justify-end gap-1.5">
          {isRevoked ? (
            <Status tone="neutral">
              revoked <Time at={row.revokedAt ?? row.createdAt} show="age" />
            </Status>
          ) : (
            <KeyButtons row={row} onOpen={onOpen} />
          )}
          <ClientMenu client={`key:${row.id}`} customer={row.customer} name={row.name} />
        </span>
      </Td>
    </Tr>
  );
}

function KeyButtons({ row, onOpen }: Pick<LineProps, "row" | "onOpen">) {
  return (
    <>
      <PermittedButton
        needs="keys"
        size="sm"
        aria-label={`Change key ${row.name}`}
        onClick={() => onOpen({ kind: "edit", row })}
      >
        Change
      </PermittedButton>
      <PermittedButton
        needs="keys"
        size="sm"
        aria-label={`Rotate key ${row.name}`}
        onClick={() => onOpen({ kind: "rotate", row })}
      >
        Rotate
      </PermittedButton>
      <PermittedButton
        needs="keys"
        size="sm"
        variant="ghost"
        className="text-danger"
        aria-label={`Revoke key ${row.name}`}
        onClick={() => onOpen({ kind: "revoke", row })}
      >
        Revoke
      </PermittedButton>
    </>
  );
}

type RevokeProps = { row: KeyRow; revoke: KeyActions["revoke"]; onClose: () => void };

function RevokeDialog({ row, revoke, onClose }: RevokeProps) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Revoke <UserText>{row.name}</UserText>
        </>
      }
      description={
        <>
          Key <code className="font-mono">{row.prefix}…</code> of customer{" "}
          <UserText code>{row.customer}</UserText>. For good: within a second gateways take it as a
          key that they do not know. It cannot be undone; a new key can be made.
        </>
      }
      tone="danger"
      confirmLabel="Revoke the key"
      pendingLabel="Revoking…"
      onConfirm={async () => {
        const result = await callAction(revoke, { id: row.id });
        return result.ok ? undefined : { error: result.message };
      }}
    />
  );
}
