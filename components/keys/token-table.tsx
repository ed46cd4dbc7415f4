"use client";

import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Badge } from "@/components/ui/badge";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Status } from "@/components/ui/status";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { LastUsed, Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { TokenRow } from "@/lib/core/api/tokens";
import type { TokenActions } from "./token-actions";

type TokenTableProps = { tokens: readonly TokenRow[]; revoke: TokenActions["revoke"] };

export function TokenTable({ tokens, revoke }: TokenTableProps) {
  const [revoked, setRevoked] = useState<TokenRow>();
  return (
    <>
      <Table label="API tokens" stack>
        <TableHead>
          <Tr>
            <Th>Name</Th>
            <Th>Token</Th>
            <Th>Scopes</Th>
            <Th>Created</Th>
            <Th>Last used</Th>
            <Th>Expires</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {tokens.length === 0 && (
            <EmptyRow columns={7}>
              No token has been made. Programs that call /api/v1 need one.
            </EmptyRow>
          )}
          {tokens.map((token) => (
            <Tr key={token.id}>
              <RowHead>
                <UserText truncate className="max-w-64">
                  {token.name}
                </UserText>
              </RowHead>
              <Td label="Token">
                <code className="font-mono text-[0.9285em]">{token.prefix}…</code>
              </Td>
              <Td label="Scopes">
                <span className="flex max-w-64 flex-wrap gap-1">
                  {token.scopes.map((scope) => (
                    <Badge key={scope} tone={scope === "admin" ? "accent" : "neutral"}>
                      {scope}
                    </Badge>
                  ))}
                </span>
              </Td>
              <Td label="Created">
                <div>
                  <Time at={token.createdAt} format="date" />
                  <span className="block text-muted">
                    by <UserText>{token.createdBy}</UserText>
                  </span>
                </div>
              </Td>
              <Td label="Last used">
                <LastUsed at={token.lastUsedAt} />
              </Td>
              <Td label="Expires">
                {token.expiresAt === null ? (
                  <span className="text-muted">never</span>
                ) : (
                  <Time at={token.expiresAt} format="date" />
                )}
              </Td>
              <Td>
                {token.revokedAt === null ? (
                  <span className="flex justify-end">
                    <PermittedButton
                      needs="tokens"
                      size="sm"
                      variant="danger-outline"
                      aria-label={`Revoke token ${token.name}`}
                      onClick={() => setRevoked(token)}
                    >
                      Revoke
                    </PermittedButton>
                  </span>
                ) : (
                  <Status tone="neutral">
                    revoked <Time at={token.revokedAt} show="age" />
                  </Status>
                )}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
      {revoked && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setRevoked(undefined)}
          title={
            <>
              Revoke <UserText>{revoked.name}</UserText>
            </>
          }
          description={`Token ${revoked.prefix}… of scope ${revoked.scopes.join(" ")}. Programs that use it are refused at once. It cannot be undone.`}
          tone="danger"
          confirmLabel="Revoke the token"
          pendingLabel="Revoking…"
          onConfirm={async () => {
            const result = await callAction(revoke, { id: revoked.id });
            return result.ok ? undefined : { error: result.message };
          }}
        />
      )}
    </>
  );
}
