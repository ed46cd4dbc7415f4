import { TextLink } from "@/components/ui/link";
import { Num } from "@/components/ui/num";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { CandidateReport } from "@/lib/core/api/candidate";
import { OTHER_CLIENTS } from "@/lib/core/counts";

type ComparedProps = { report: CandidateReport; isShared: boolean };

export function ComparedPlans({ report: { byPlan }, isShared }: ComparedProps) {
  const withShare = isShared || byPlan.some(({ enforced }) => enforced.requests > 0);
  return (
    <Table label="By plan" stack framed={false}>
      <Head first="Plan" withShare={withShare} />
      <TableBody>
        {byPlan.length === 0 && <Nothing withShare={withShare} />}
        {byPlan.map(({ plan, requests, newly, noLonger, both, enforced }) => (
          <Tr key={plan}>
            <RowHead>
              <UserText>{plan}</UserText>
            </RowHead>
            <Figures {...{ requests, newly, noLonger, both }} />
            {withShare && (
              <Td label="Enforced: rejected" align="end">
                <span>
                  <Num value={enforced.rejections} />{" "}
                  <span className="text-muted">
                    of <Num value={enforced.requests} />
                  </span>
                </span>
              </Td>
            )}
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

export function ComparedClients({ report: { topClients }, isShared }: ComparedProps) {
  const withShare = isShared || topClients.some(({ enforced }) => enforced > 0);
  return (
    <Table label="By client" stack framed={false}>
      <Head first="Client" withShare={withShare} />
      <TableBody>
        {topClients.length === 0 && <Nothing withShare={withShare} />}
        {topClients.map(({ client, plan, enforced, ...figures }) => (
          <Tr key={`${client} ${plan}`}>
            <RowHead className="max-w-64">
              {client === OTHER_CLIENTS ? (
                "all others"
              ) : (
                <TextLink href={`/clients/${encodeURIComponent(client)}`} prefetch={false}>
                  <UserText code truncate>
                    {client}
                  </UserText>
                </TextLink>
              )}{" "}
              <span className="text-muted">
                on <UserText>{plan}</UserText>
              </span>
            </RowHead>
            <Figures {...figures} />
            {withShare && (
              <Td label="Enforced: rejected" align="end">
                <Num value={enforced} />
              </Td>
            )}
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function Head({ first, withShare }: { first: string; withShare: boolean }) {
  return (
    <TableHead>
      <Tr>
        <Th>{first}</Th>
        <Th align="end">Newly</Th>
        <Th align="end">No longer</Th>
        <Th align="end">Both</Th>
        <Th align="end">Requests</Th>
        {withShare && <Th align="end">Enforced: rejected</Th>}
      </Tr>
    </TableHead>
  );
}

type FiguresProps = { requests: number; newly: number; noLonger: number; both: number };

function Figures({ requests, newly, noLonger, both }: FiguresProps) {
  return (
    <>
      <Td label="Newly" align="end">
        <Num value={newly} />
      </Td>
      <Td label="No longer" align="end">
        <Num value={noLonger} />
      </Td>
      <Td label="Both" align="end">
        <Num value={both} />
      </Td>
      <Td label="Requests" align="end">
        <Num value={requests} />
      </Td>
    </>
  );
}

function Nothing({ withShare }: { withShare: boolean }) {
  return (
    <EmptyRow columns={5 + Number(withShare)}>
      Neither revision has refused anything since it is tried.
    </EmptyRow>
  );
}
