"use client";

import { X } from "lucide-react";
import { debounce, parseAsString, useQueryStates } from "nuqs";
import { type ReactNode, useTransition } from "react";
import { Button } from "./button";
import { cn } from "./cn";
import { SearchInput } from "./search-input";
import { type Option, Select } from "./select";

export type Filter =
  | {
      kind: "search";
      key: string;
      label: string;
      /** What of the text may stand in the address. */
      shorten?: (text: string) => string;
    }
  | {
      kind: "select";
      key: string;
      label: string;
      options: readonly Option[];
      /** What the list says when nothing is chosen, such as "All plans". */
      all: string;
    };

type FilterBarProps = {
  filters: readonly Filter[];
  /** Address keys emptied by any change, such as a page cursor. */
  resets?: readonly string[];
  children?: ReactNode;
};

const TYPING_MS = 250;
const ALL = "*";

/** Filters that live in the address; the page reads them from `searchParams` and renders anew. */
export function FilterBar({ filters, resets = [], children }: FilterBarProps) {
  const [pending, startTransition] = useTransition();
  const keys = [...filters.map((filter) => filter.key), ...resets];
  const parsers = Object.fromEntries(keys.map((key) => [key, parseAsString]));
  const [values, setValues] = useQueryStates(parsers, {
    shallow: false,
    history: "replace",
    startTransition,
  });
  const emptied = Object.fromEntries(resets.map((key) => [key, null]));
  const active = filters.some((filter) => values[filter.key]);
  const firstSearch = filters.find(({ kind }) => kind === "search")?.key;

  function set(key: string, value: string, typed: boolean) {
    const next = { ...emptied, [key]: value === "" ? null : value };
    setValues(next, typed ? { limitUrlUpdates: debounce(TYPING_MS) } : {}).catch(ignoreNavigation);
  }

  return (
    <search
      aria-busy={pending}
      className={cn(
        "flex flex-wrap items-center gap-2 transition-opacity",
        pending && "opacity-70",
      )}
    >
      {filters.map((filter) =>
        filter.kind === "search" ? (
          <SearchInput
            key={filter.key}
            slashKey={filter.key === firstSearch}
            label={filter.label}
            value={values[filter.key] ?? ""}
            onValueChange={(value) => set(filter.key, filter.shorten?.(value) ?? value, true)}
          />
        ) : (
          <Select
            key={filter.key}
            aria-label={filter.label}
            className={cn(
              "w-auto max-w-full",
              values[filter.key] && "border-accent bg-accent-subtle",
            )}
            options={[{ value: ALL, label: filter.all }, ...filter.options]}
            value={values[filter.key] ?? ALL}
            onValueChange={(value) => set(filter.key, value === ALL ? "" : value, false)}
          />
        ),
      )}
      {children}
      {active && (
        <Button
          variant="ghost"
          onClick={() => {
            const cleared = Object.fromEntries(keys.map((key) => [key, null]));
            setValues(cleared).catch(ignoreNavigation);
          }}
        >
          <X aria-hidden /> Clear filters
        </Button>
      )}
      <span aria-live="polite" className="sr-only">
        {pending ? "Loading" : ""}
      </span>
    </search>
  );
}

/** nuqs rejects an update that a newer navigation replaced; the newer one is what the reader wants. */
function ignoreNavigation(_error: unknown): void {}
