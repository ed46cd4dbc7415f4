"use client";

import { ArrowDownWideNarrow } from "lucide-react";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useState, useTransition } from "react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/cn";
import { RowLink } from "@/components/ui/link";
import { Pagination } from "@/components/ui/pagination";
import {
  EmptyRow,
  RowHead,
  SortTh,
  Table,
  TableBody,
  TableHead,
  Td,
  Th,
  Tr,
} from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { shownText, UserText } from "@/components/ui/user-text";
import type { RuleRow } from "@/lib/core/api/rules";
import { isShared, shareWords } from "@/lib/core/candidate";
import { AgainstYesterday, HitsNow } from "./hits-now";
import { ModeBadge } from "./mode-badge";
import type { RuleActions } from "./rule-actions-data";
import { type OpenRuleDialog, RuleDialog } from "./rule-dialog";
import { RuleRowActions } from "./rule-row-actions";
import type { RuleSort } from "./sort-rules";

type RuleTableProps = {
  /** The rows of this page, sorted. */
  rows: readonly RuleRow[];
  sort: RuleSort;
  /** From 0. */
  page: number;
  pageSize: number;
  /** Rules that were found. */
  found: number;
  total: number;
  asOf: string;
  /** What was searched, filtered, sorted and paged by: rows keep their place while this stays the same. */
  query: string;
  actions: RuleActions;
};

const COLUMNS = 7;

export function RuleTable(props: RuleTableProps) {
  const { rows, sort, page, pageSize, found, total, asOf, actions } = props;
  const [pending, startTransition] = useTransition();
  const [, setUrl] = useQueryStates(
    { sort: parseAsString, page: parseAsInteger },
    { shallow: false, history: "replace", startTransition },
  );
  const [dialog, setDialog] = useState<OpenRuleDialog | null>(null);
  const { shown, isMoved, sortAgain } = useSteadyOrder(rows, props.query);

  const sortBy = (by: RuleSort["by"]) => {
    const isDescending = sort.by === by ? !sort.isDescending : by !== "name";
    setUrl({ sort: `${by}.${isDescending ? "desc" : "asc"}`, page: null }).catch(ignoreNavigation);
  };
  const head = (by: RuleSort["by"]) => ({
    direction:
      sort.by === by
        ? sort.isDescending
          ? ("desc" as const)
          : ("asc" as const)
        : (false as const),
    onSort: () => sortBy(by),
  });

  return (
    <div className={cn("flex min-w-0 flex-col gap-3 transition-opacity", pending && "opacity-70")}>
      <Table label="Rules" stack className="sm:min-w-[58rem] sm:table-fixed">
        <TableHead>
          <Tr>
            <SortTh {...head("name")}>Rule</SortTh>
            <SortTh className="w-[6.75rem]" {...head("mode")}>
              Mode
            </SortTh>
            <Th>Limit</Th>
            <SortTh
              align="end"
              className="w-40 2xl:w-44"
              title="A minute. Real rejections first, then would-be ones, each by number"
              {...head("rejects")}
            >
              Rejects now
            </SortTh>
            <SortTh align="end" className="w-[7.25rem]" {...head("change")}>
              vs yesterday
            </SortTh>
            <SortTh className="w-40 2xl:w-48" {...head("changed")}>
              Last change
            </SortTh>
            <Th className="w-[10.25rem]">
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {shown.length === 0 && <EmptyRow columns={COLUMNS}>No rule matches.</EmptyRow>}
          {shown.map((row) => (
            <Tr key={row.id}>
              <RowHead>
                <span className="flex min-w-0 flex-col items-start">
                  <RowLink
                    href={`/rules/${encodeURIComponent(row.id)}`}
                    className="line-clamp-2 max-w-full"
                    title={shownText(row.name)}
                  >
                    <UserText>{row.name}</UserText>
                  </RowLink>
                  <span className="flex max-w-full flex-wrap items-center gap-x-2 font-normal text-muted">
                    <UserText code truncate>
                      {row.id}
                    </UserText>
                    {row.hasDraft && <Badge tone="accent">in your draft</Badge>}
                    {row.candidateShare !== null && (
                      <Badge tone="accent">
                        candidate{" "}
                        {isShared(row.candidateShare)
                          ? `for ${shareWords(row.candidateShare)}`
                          : "in shadow"}
                      </Badge>
                    )}
                  </span>
                </span>
              </RowHead>
              <Td label="Mode">
                <ModeBadge mode={row.mode} />
              </Td>
              <Td label="Limit">
                <span className="line-clamp-2 max-w-prose" title={row.sentence}>
                  <UserText>{row.sentence}</UserText>
                </span>
              </Td>
              <Td label="Rejects now" align="end" className="whitespace-nowrap">
                <HitsNow mode={row.mode} hits={row.hits} />
              </Td>
              <Td label="vs yesterday" align="end" className="whitespace-nowrap">
                <AgainstYesterday mode={row.mode} hits={row.hits} />
              </Td>
              <Td label="Last change">
                <span className="flex max-w-full min-w-0 flex-col max-sm:items-end">
                  <span className="flex max-w-full items-baseline">
                    <Time at={row.changedAt} show="age" />
                    ,&nbsp;
                    <UserText truncate>{row.changedBy.name}</UserText>
                  </span>
                  <span className="max-w-full truncate text-muted tabular-nums">
                    since v{row.sinceVersion}, revision {row.revision}
                  </span>
                </span>
              </Td>
              <Td align="end" className="whitespace-nowrap">
                <RuleRowActions rule={row} onOpen={(kind) => setDialog({ kind, rule: row })} />
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
      <Pagination
        page={page}
        pageSize={pageSize}
        total={found}
        unfilteredTotal={total}
        noun={{ one: "rule", many: "rules" }}
        onPageChange={(next) => {
          setUrl({ page: next === 0 ? null : next + 1 }).catch(ignoreNavigation);
        }}
      />
      <p className="-mt-1 flex min-h-7 flex-wrap items-center gap-x-3 text-sm text-muted">
        <span>
          As of <Time at={asOf} format="time" show="absolute" />
        </span>
        {isMoved && (
          <Button size="sm" variant="ghost" onClick={sortAgain}>
            <ArrowDownWideNarrow aria-hidden /> The order has changed: sort again
          </Button>
        )}
      </p>
      <RuleDialog dialog={dialog} actions={actions} onClose={() => setDialog(null)} />
    </div>
  );
}

/** Figures change every few seconds, places do not: a row must not slip away under the pointer. */
function useSteadyOrder(rows: readonly RuleRow[], query: string) {
  const ids = rows.map(({ id }) => id);
  const [held, setHeld] = useState({ query, ids });
  const known = held.query === query ? held.ids : ids;
  if (held.query !== query) setHeld({ query, ids });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const kept = known.flatMap((id) => byId.get(id) ?? []);
  const shown = [...kept, ...rows.filter(({ id }) => !known.includes(id))];
  return {
    shown,
    isMoved: shown.some(({ id }, i) => id !== ids[i]),
    sortAgain: () => setHeld({ query, ids }),
  };
}

/** nuqs rejects an update that a newer navigation replaced; the newer one is what the reader wants. */
function ignoreNavigation(_error: unknown): void {}
