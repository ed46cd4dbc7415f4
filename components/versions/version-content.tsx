import { ChevronRight } from "lucide-react";
import { ModeBadge } from "@/components/rules/mode-badge";
import { CodeBlock } from "@/components/ui/code-block";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import { limitSentence } from "@/lib/core/limit-sentence";
import type { Body } from "@/lib/core/ruleset";

type VersionContentProps = {
  version: number;
  body: Body;
  /** The address asks for it, however long. */
  isAsked: boolean;
};

/** Of a longer ruleset the page would be megabytes: it is shown when asked for. */
const SHOWN = 100;

/** The whole ruleset as it was: rules in words, and the document itself. */
export function VersionContent({ version, body, isAsked }: VersionContentProps) {
  const { rules, plans, routes } = body;
  const parts = [
    formatPlural(rules.length, "rule"),
    formatPlural(plans.length, "plan"),
    formatPlural(routes.length, "route template"),
  ].join(", ");
  if (rules.length > SHOWN && !isAsked)
    return (
      <p className="rounded-lg border bg-surface px-4 py-3">
        <TextLink href={`/versions/${version}?content=all`} prefetch={false}>
          Show the whole ruleset of v{version}
        </TextLink>{" "}
        <span className="text-sm text-muted">{parts}</span>
      </p>
    );
  return (
    <details open={isAsked} className="group rounded-lg border bg-surface">
      <summary className="flex list-none items-center gap-1.5 px-4 py-3 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        <span className="font-semibold">The whole ruleset of v{version}</span>
        <span className="text-sm text-muted">{parts}</span>
      </summary>
      <Table label={`Rules of version ${version}`} stack framed={false}>
        <TableHead>
          <Tr>
            <Th>Rule</Th>
            <Th>Mode</Th>
            <Th>Limit</Th>
            <Th align="end">Revision</Th>
          </Tr>
        </TableHead>
        <TableBody>
          {rules.flatMap(({ id, live }) =>
            live === undefined
              ? []
              : [
                  <Tr key={id}>
                    <RowHead>
                      <UserText>{live.rule.name}</UserText>
                    </RowHead>
                    <Td label="Mode">
                      <ModeBadge mode={live.rule.mode} />
                    </Td>
                    <Td label="Limit">{limitSentence(live.rule)}</Td>
                    <Td label="Revision" align="end">
                      {live.revision}
                    </Td>
                  </Tr>,
                ],
          )}
        </TableBody>
      </Table>
      <div className="border-t p-4">
        <CodeBlock
          code={JSON.stringify(body, null, 2)}
          label={`document of version ${version}`}
          className="max-h-96 overflow-auto"
        />
      </div>
    </details>
  );
}
