import { TriangleAlert } from "lucide-react";
import { ModeBadge } from "@/components/rules/mode-badge";
import { Badge } from "@/components/ui/badge";
import { cn } from "@/components/ui/cn";
import { formatPlural } from "@/components/ui/format";
import { RowLink, TextLink } from "@/components/ui/link";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { PlanEffects } from "@/lib/core/api/plans";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";

/** Whose limits a change moves: the clients of each plan, and by which rules. */
export function PlanEffectsTable({ effects }: { effects: readonly PlanEffects[] }) {
  return (
    <Table label="Whose limits change" stack>
      <TableHead>
        <Tr>
          <Th>Plan</Th>
          <Th>Clients</Th>
          <Th>Rule</Th>
          <Th>From → to</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {effects.flatMap((effect) =>
          effect.rules.map((rule, i) => (
            <Tr key={`${effect.plan} ${rule.rule}`}>
              <RowHead>
                <span className={cn("inline-flex flex-wrap gap-1.5", i > 0 && "sm:sr-only")}>
                  <UserText>{effect.name}</UserText>
                  {effect.isRemoved && <Badge tone="danger">removed</Badge>}
                </span>
              </RowHead>
              <Td label="Clients">
                <span className={cn(i > 0 && "sm:sr-only")}>
                  <Clients effect={effect} />
                </span>
              </Td>
              <Td label="Rule">
                <span className="inline-flex flex-wrap items-center gap-1.5">
                  <RowLink href={`/rules/${encodeURIComponent(rule.rule)}`}>
                    <UserText>{rule.name}</UserText>
                  </RowLink>
                  <ModeBadge mode={rule.mode} />
                </span>
              </Td>
              <Td label="From → to" className="max-sm:text-end">
                <FromTo rule={rule} />
              </Td>
            </Tr>
          )),
        )}
      </TableBody>
    </Table>
  );
}

function Clients({ effect: { plan, keys, customers } }: { effect: PlanEffects }) {
  if (plan === ANONYMOUS_PLAN) return <span className="text-muted">whoever has no key</span>;
  if (keys === 0) return <span className="text-muted">nobody yet</span>;
  return (
    <>
      <TextLink href={`/keys?plan=${encodeURIComponent(plan)}`} prefetch={false}>
        {formatPlural(keys, "key")}
      </TextLink>{" "}
      of {formatPlural(customers, "customer")}
    </>
  );
}

/** `60 per 1m → 6 per 1m`, and how far that is. */
export function FromTo({ rule }: { rule: PlanEffects["rules"][number] }) {
  const { before, after, direction, words, isLoud } = rule;
  return (
    <span className="inline-flex flex-col">
      <span className="tabular-nums">
        <span className="text-muted">{before} → </span>
        <span className="font-medium">{after}</span>
      </span>
      <span
        className={cn(
          "text-sm",
          direction === "looser"
            ? "text-success"
            : direction === "stricter"
              ? "text-danger"
              : "text-warning",
          isLoud && "font-semibold",
        )}
      >
        {isLoud && <TriangleAlert aria-hidden className="me-1 mb-0.5 inline size-3.5" />}
        {words}
      </span>
    </span>
  );
}
