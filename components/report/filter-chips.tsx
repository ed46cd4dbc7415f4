"use client";

import { X } from "lucide-react";
import NextLink from "next/link";
import { useEffect, useRef } from "react";
import { UserText } from "@/components/ui/user-text";
import { OTHER_ROUTE } from "@/lib/core/counts";
import { FILTER_KEYS, isNarrowed, narrowed, type ReportFilter, reportHref } from "./report-address";

type FilterChipsProps = {
  path: string;
  /** The address's keys beside the filter. */
  keys: Record<string, string | undefined>;
  filter: ReportFilter;
  plans: readonly { id: string; name: string }[];
};

/** What narrows the figures, each a press away from being taken off. */
export function FilterChips({ path, keys, filter, plans }: FilterChipsProps) {
  const box = useRef<HTMLUListElement>(null);
  const href = reportHref(path, keys);
  const shown = FILTER_KEYS.filter((key) => filter[key] !== undefined);
  const state = shown.join(" ");
  const before = useRef(state);

  useEffect(() => {
    // The chip that had the focus is gone: whoever goes on by keyboard should not begin at the page's top.
    const isFewer = before.current.length > state.length;
    before.current = state;
    if (!isFewer || document.activeElement !== document.body) return;
    const next = state === "" ? box.current?.previousElementSibling : box.current;
    if (next instanceof HTMLElement) next.focus();
  }, [state]);

  return (
    <ul
      ref={box}
      tabIndex={-1}
      aria-label="Filters"
      className="flex min-w-0 flex-wrap items-center gap-1.5 outline-none empty:hidden"
    >
      {shown.map((key) => {
        const words = chipWords(key, filter[key] ?? "", plans);
        return (
          <li key={key} className="min-w-0">
            <NextLink
              href={href(narrowed(filter, { [key]: undefined }))}
              scroll={false}
              aria-label={`Take off: ${key} ${words}`}
              className="inline-flex h-7.5 max-w-full items-center gap-1.5 rounded-md border border-accent/35 bg-accent-subtle px-2 text-sm text-accent no-underline hover:border-accent pointer-coarse:h-10"
            >
              <span className="min-w-0 truncate">
                {key} <UserText className="font-medium">{words}</UserText>
              </span>
              <X aria-hidden className="size-3.5 shrink-0" />
            </NextLink>
          </li>
        );
      })}
      {isNarrowed(filter) && shown.length > 1 && (
        <li>
          <NextLink
            href={href({})}
            scroll={false}
            className="px-1 text-sm text-accent underline decoration-accent/35 underline-offset-2"
          >
            Clear all
          </NextLink>
        </li>
      )}
    </ul>
  );
}

function chipWords(
  key: keyof ReportFilter,
  value: string,
  plans: FilterChipsProps["plans"],
): string {
  if (key === "plan") return plans.find(({ id }) => id === value)?.name ?? value;
  return key === "route" && value === OTHER_ROUTE ? "any other path" : value;
}
