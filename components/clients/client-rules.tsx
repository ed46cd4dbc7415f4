import { Check, CircleDashed, Minus } from "lucide-react";
import { ModeBadge } from "@/components/rules/mode-badge";
import { RowLink, TextLink } from "@/components/ui/link";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { ClientDetail } from "@/lib/core/api/clients";

type TriedRule = ClientDetail["rules"][number];

const APPLIES = {
  always: { Icon: Check, words: "every request", tone: "text-text" },
  some: { Icon: CircleDashed, words: "some requests", tone: "text-text" },
  never: { Icon: Minus, words: "no request", tone: "text-muted" },
} as const;

/** Every rule of the live version, whether it counts this client, and why. */
export function ClientRules({ client, rules }: Pick<ClientDetail, "client" | "rules">) {
  // A customer is counted by its keys.
  const withFigures = !client.startsWith("customer:");
  return (
    <Table label="Rules tried" stack framed={false}>
      <TableHead>
        <Tr>
          <Th>Rule</Th>
          <Th>Counts</Th>
          <Th>Why</Th>
          <Th>So since</Th>
          {withFigures && (
            <Th>
              <span className="sr-only">Figures</span>
            </Th>
          )}
        </Tr>
      </TableHead>
      <TableBody>
        {rules.length === 0 && (
          <EmptyRow columns={withFigures ? 5 : 4}>The live version has no rules.</EmptyRow>
        )}
        {rules.map((tried) => (
          <Tr key={`${tried.rule} ${tried.lane}`}>
            <RowHead>
              <span className="flex flex-wrap items-center gap-1.5">
                <RowLink href={`/rules/${encodeURIComponent(tried.rule)}`}>
                  <UserText truncate className="max-w-56">
                    {tried.name}
                  </UserText>
                </RowLink>
                <ModeBadge mode={tried.mode} />
              </span>
            </RowHead>
            <Td label="Counts">
              <Applies applies={tried.applies} />
            </Td>
            <Td label="Why" className="max-w-md">
              <UserText className="break-words">{tried.reason}</UserText>
            </Td>
            <Td label="So since">
              <Since since={tried.since} />
            </Td>
            {withFigures && (
              <Td align="end">
                {tried.applies !== "never" && tried.mode !== "off" && (
                  <TextLink
                    href={reportHref(tried.rule, client)}
                    prefetch={false}
                    aria-label={`Figures of rule ${tried.name} for this client`}
                    className="whitespace-nowrap"
                  >
                    Its figures
                  </TextLink>
                )}
              </Td>
            )}
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function reportHref(rule: string, client: string): string {
  return `/rules/${encodeURIComponent(rule)}/report?${new URLSearchParams({ client })}`;
}

function Applies({ applies }: Pick<TriedRule, "applies">) {
  const { Icon, words, tone } = APPLIES[applies];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${tone}`}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {words}
    </span>
  );
}

function Since({ since }: Pick<TriedRule, "since">) {
  if (since === null) return <span className="text-muted">not known</span>;
  const href =
    since.kind === "version"
      ? `/versions/${since.id}`
      : `/overrides?q=${encodeURIComponent(since.id)}`;
  return (
    <span className="flex flex-col max-sm:items-end max-sm:text-end">
      <span>
        <TextLink href={href} prefetch={false}>
          {since.kind === "version" ? `v${since.id}` : "override"}
        </TextLink>{" "}
        by <UserText>{since.by}</UserText>
      </span>
      <Time at={since.at} className="text-sm text-muted" show="age" />
      {since.before !== "" && <span className="text-sm text-muted">before: {since.before}</span>}
    </span>
  );
}
