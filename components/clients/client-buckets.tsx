import { ModeBadge } from "@/components/rules/mode-badge";
import { formatCount, formatMs } from "@/components/ui/format";
import { RowLink } from "@/components/ui/link";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { ClientBucketRow, ClientDetail } from "@/lib/core/api/clients";
import { type ResetAction, ResetButton } from "./reset-button";

type ClientBucketsProps = {
  detail: Pick<ClientDetail, "client" | "customer" | "unread">;
  buckets: readonly ClientBucketRow[];
  reset: ResetAction;
};

/** What is left of each limit, now. */
export function ClientBuckets({ detail, buckets, reset }: ClientBucketsProps) {
  const { client, customer, unread } = detail;
  return (
    <>
      <Table label="Live buckets" stack framed={false}>
        <TableHead>
          <Tr>
            <Th>Rule</Th>
            <Th>Counted for</Th>
            <Th>Limit</Th>
            <Th align="end">Left</Th>
            <Th align="end">Next in</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {buckets.length === 0 && (
            <EmptyRow columns={6}>No rule keeps a bucket of its own for this client.</EmptyRow>
          )}
          {buckets.map((bucket) => (
            <Tr key={`${bucket.rule} ${bucket.lane} ${bucket.principal} ${bucket.route}`}>
              <RowHead>
                <span className="flex flex-wrap items-center gap-1.5">
                  <RowLink href={`/rules/${encodeURIComponent(bucket.rule)}`}>
                    <UserText truncate className="max-w-56">
                      {bucket.name}
                    </UserText>
                  </RowLink>
                  <ModeBadge mode={bucket.mode} />
                  {bucket.lane === "candidate" && (
                    <span className="text-sm text-muted">candidate</span>
                  )}
                </span>
              </RowHead>
              <Td label="Counted for">
                <span className="flex min-w-0 flex-col max-sm:items-end">
                  <UserText code truncate className="max-w-52">
                    {bucket.principal}
                  </UserText>
                  {bucket.route !== null && (
                    <UserText code className="text-sm text-muted">
                      {bucket.route}
                    </UserText>
                  )}
                  {bucket.isShared && (
                    <span className="text-sm text-muted">shared with others</span>
                  )}
                </span>
              </Td>
              <Td label="Limit">{bucket.limit}</Td>
              <Td label="Left" align="end">
                <Left bucket={bucket} />
              </Td>
              <Td label="Next in" align="end">
                {bucket.resetMs === 0 ? "now" : formatMs(bucket.resetMs)}
              </Td>
              <Td>
                {!bucket.isShared && !bucket.isConcurrency && (
                  <span className="flex justify-end">
                    <ResetButton
                      client={client}
                      customer={customer}
                      rule={{ id: bucket.rule, name: bucket.name }}
                      action={reset}
                    />
                  </span>
                )}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
      {unread.length > 0 && (
        <ul className="flex flex-col gap-1 px-4 py-3 text-sm text-muted">
          {unread.map(({ rule, name, why }) => (
            <li key={rule}>
              <UserText>{name}</UserText> {why}.
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Left({ bucket: { remaining, quota, leased } }: { bucket: ClientBucketRow }) {
  return (
    <span className="inline-flex flex-col items-end tabular-nums">
      <span className={remaining === 0 ? "font-semibold text-danger" : ""}>
        {formatCount(remaining)} of {formatCount(quota)}
      </span>
      {leased > 0 && (
        <span className="text-sm text-muted">{formatCount(leased)} out on leases</span>
      )}
    </span>
  );
}
