import { ModeBadge } from "@/components/rules/mode-badge";
import { CopyButton } from "@/components/ui/copy-button";
import { TextLink } from "@/components/ui/link";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { ClientDetail } from "@/lib/core/api/clients";
import { clientHref } from "./client-href";

/** The newest hits of the log over all rules; a request id leads to its own answer. */
export function ClientDecisions({ decisions }: Pick<ClientDetail, "decisions">) {
  return (
    <Table label="Last decisions" stack framed={false}>
      <TableHead>
        <Tr>
          <Th>Time</Th>
          <Th>Rule</Th>
          <Th>Request</Th>
          <Th align="end">Retry after</Th>
          <Th>Gateway</Th>
          <Th>Version</Th>
          <Th>Request id</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {decisions.length === 0 && (
          <EmptyRow columns={7}>Nothing of this client is in the log that is kept.</EmptyRow>
        )}
        {decisions.map((hit) => (
          <Tr key={`${hit.requestId} ${hit.rule} ${hit.mode} ${hit.revision}`}>
            <RowHead className="font-normal">
              <Time at={hit.at} format="datetime" show="absolute" />
            </RowHead>
            <Td label="Rule">
              <span className="flex flex-wrap items-center gap-1.5 max-sm:justify-end">
                <UserText code truncate className="max-w-44">
                  {hit.rule}
                </UserText>
                <ModeBadge mode={hit.mode} />
              </span>
            </Td>
            <Td label="Request" className="max-w-64">
              <span className="font-mono text-[0.9285em]">
                {hit.method} <UserText className="break-all">{hit.route}</UserText>
              </span>
            </Td>
            <Td label="Retry after" align="end">
              {hit.retryAfterSeconds === null ? "never" : `${hit.retryAfterSeconds} s`}
            </Td>
            <Td label="Gateway">
              <UserText code truncate className="max-w-40">
                {hit.gateway}
              </UserText>
            </Td>
            <Td label="Version">
              <TextLink href={`/versions/${hit.version}`} prefetch={false}>
                v{hit.version}
              </TextLink>
            </Td>
            <Td label="Request id">
              <span className="inline-flex items-center gap-0.5">
                <TextLink href={clientHref(hit.client, hit.requestId)} prefetch={false}>
                  <UserText code truncate className="max-w-28">
                    {hit.requestId}
                  </UserText>
                </TextLink>
                <CopyButton text={hit.requestId} label="Copy request id" />
              </span>
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
