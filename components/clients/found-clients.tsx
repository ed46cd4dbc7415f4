import { RowLink } from "@/components/ui/link";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { ClientFound } from "@/lib/core/api/clients";
import { clientHref } from "./client-href";

const BY_WORDS: Record<ClientFound["by"], string> = {
  key: "key",
  customer: "customer",
  address: "address",
  request: "request id",
};

/** Whom a search may mean. */
export function FoundClients({ items, text }: { items: readonly ClientFound[]; text: string }) {
  return (
    <Table label="Clients found" stack>
      <TableHead>
        <Tr>
          <Th>Client</Th>
          <Th>Name</Th>
          <Th>Key begins</Th>
          <Th>Customer</Th>
          <Th>Plan</Th>
          <Th>Found by</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {items.length === 0 && (
          <EmptyRow columns={6}>
            No key, customer, address or request in the log fits <bdi>“{text}”</bdi>.
          </EmptyRow>
        )}
        {items.map(({ client, name, prefix, customer, plan, by, requestId }) => (
          <Tr key={client}>
            <RowHead>
              <RowLink href={clientHref(client, requestId)}>
                <UserText code truncate className="max-w-64">
                  {client}
                </UserText>
              </RowLink>
            </RowHead>
            <Td label="Name">{name === "" ? <None /> : <UserText>{name}</UserText>}</Td>
            <Td label="Key begins">
              {prefix === "" ? <None /> : <code className="font-mono">{prefix}…</code>}
            </Td>
            <Td label="Customer">
              {customer === null ? <None /> : <UserText code>{customer}</UserText>}
            </Td>
            <Td label="Plan">
              <UserText>{plan}</UserText>
            </Td>
            <Td label="Found by">{BY_WORDS[by]}</Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function None() {
  return <span className="text-muted">none</span>;
}
