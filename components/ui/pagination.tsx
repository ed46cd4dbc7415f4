"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "./button";
import { formatCount, formatPlural } from "./format";

export type Noun = { one: string; many: string };

type PaginationProps = {
  /** From 0. */
  page: number;
  pageSize: number;
  /** Rows after filters. */
  total: number;
  /** Rows before filters, when that differs. */
  unfilteredTotal?: number;
  noun: Noun;
  onPageChange: (page: number) => void;
};

export function Pagination({
  page,
  pageSize,
  total,
  unfilteredTotal,
  noun,
  onPageChange,
}: PaginationProps) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const all = unfilteredTotal ?? total;
  const from = total === 0 ? 0 : page * pageSize + 1;
  const to = Math.min(total, (page + 1) * pageSize);
  const count =
    all === total
      ? formatPlural(total, noun.one, noun.many)
      : `${formatCount(total)} of ${formatPlural(all, noun.one, noun.many)}`;
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
      <p aria-live="polite">
        {pages > 1 && `${formatCount(from)}–${formatCount(to)} of `}
        {pages > 1 && all !== total ? formatCount(total) : count}
        {pages > 1 && all !== total && ` found in ${formatPlural(all, noun.one, noun.many)}`}
      </p>
      {pages > 1 && (
        <nav aria-label="Pages" className="flex items-center gap-2">
          <Button size="sm" disabled={page === 0} onClick={() => onPageChange(page - 1)}>
            <ChevronLeft aria-hidden /> Previous
          </Button>
          <span className="tabular-nums">
            Page {formatCount(page + 1)} of {formatCount(pages)}
          </span>
          <Button size="sm" disabled={page >= pages - 1} onClick={() => onPageChange(page + 1)}>
            Next <ChevronRight aria-hidden />
          </Button>
        </nav>
      )}
    </div>
  );
}
