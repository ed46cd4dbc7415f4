"use client";

import { RangePicker } from "@/components/report/range-picker";
import type { TimeRange } from "@/components/report/time-range";
import { PAGES_KEY } from "@/components/ui/cursor-pages";
import { FilterBar } from "@/components/ui/filter-bar";

type AuditFiltersProps = {
  query: Record<string, string | undefined>;
  /** Null: all time. */
  range: TimeRange | null;
  nowMs: number;
};

const KINDS = [
  ...["rule", "plan", "version", "draft", "key", "override"],
  ...["token", "gateway", "alert", "user", "session"],
];

const BY = [
  { value: "user", label: "People" },
  { value: "token", label: "API tokens" },
  { value: "system", label: "Headgate itself" },
];

export function AuditFilters({ query, range, nowMs }: AuditFiltersProps) {
  const { range: _range, from: _from, to: _to, ...rest } = query;
  return (
    <div className="flex flex-col gap-2">
      <FilterBar
        resets={[PAGES_KEY]}
        filters={[
          { kind: "search", key: "q", label: "Search the log" },
          { kind: "select", key: "by", label: "By whom", all: "By anybody", options: BY },
          {
            kind: "select",
            key: "kind",
            label: "Kind",
            all: "All kinds",
            options: KINDS.map((kind) => ({ value: kind, label: kind })),
          },
          { kind: "search", key: "object", label: "Object id, such as a rule's" },
          { kind: "search", key: "actor", label: "By whom, name or id" },
          // Asked for by links only; shown so that it can be taken away again.
          ...(query.version
            ? [{ kind: "search" as const, key: "version", label: "Version number" }]
            : []),
        ]}
      />
      <div className="flex flex-wrap items-center gap-2">
        <RangePicker
          path="/audit"
          query={rest}
          active={range === null ? "all" : range.kind === "last" ? range.name : null}
          all
          from={new Date(nowMs - 86_400_000).toISOString()}
          to={new Date(nowMs).toISOString()}
        />
      </div>
    </div>
  );
}
