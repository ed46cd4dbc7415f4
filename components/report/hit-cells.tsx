import { clientHref } from "@/components/clients/client-href";
import { CopyButton } from "@/components/ui/copy-button";
import { formatMs } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { Td } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { HitRow } from "@/lib/core/api/hits";

type Hit = Pick<
  HitRow,
  "method" | "route" | "gateway" | "version" | "client" | "requestId" | "retryAfterSeconds"
>;

/** Of a hit's row, what it asked for, what it was told, by whom and by which name: Request to Request id. */
export function HitCells({ hit }: { hit: Hit }) {
  return (
    <>
      <Td label="Request" className="max-w-64">
        <span className="font-mono text-[0.9285em]">
          {hit.method} <UserText className="break-all">{hit.route}</UserText>
        </span>
      </Td>
      <Td label="Retry after" align="end">
        <RetryAfter seconds={hit.retryAfterSeconds} />
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

function RetryAfter({ seconds }: { seconds: number | null }) {
  if (seconds === null) return <span title="Waiting does not help">never</span>;
  // Below a minute in whole seconds, as the header says them.
  return seconds < 60 ? `${seconds} s` : formatMs(seconds * 1000);
}
