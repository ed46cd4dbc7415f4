import type { ReactNode } from "react";
import { clientHref } from "@/components/clients/client-href";
import { CopyButton } from "@/components/ui/copy-button";
import { TextLink } from "@/components/ui/link";
import { Td } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { HitRow } from "@/lib/core/api/hits";

type Hit = Pick<HitRow, "method" | "route" | "gateway" | "version" | "client" | "requestId">;

/** Of a hit's row, what it asked for, what it was told, by whom and by which name: Request to Request id. */
export function HitCells({ hit, retryAfter }: { hit: Hit; retryAfter: ReactNode }) {
  return (
    <>
      <Td label="Request" className="max-w-64">
        <span className="font-mono text-[0.9285em]">
          {hit.method} <UserText className="break-all">{hit.route}</UserText>
        </span>
      </Td>
      <Td label="Retry after" align="end">
        {retryAfter}
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
    </>
  );
}
