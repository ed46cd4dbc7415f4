"use client";

import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { hrefWith, PAGES_KEY } from "@/components/ui/cursor-pages";
import { FilterBar } from "@/components/ui/filter-bar";
import { Switch } from "@/components/ui/switch";
import { ModeTabs } from "./mode-tabs";
import { RangePicker } from "./range-picker";
import type { TimeRange } from "./time-range";

type LogToolbarProps = {
  path: string;
  query: Record<string, string | undefined>;
  mode: "shadow" | "enforce" | null;
  /** The rule may be counted in shadow, too. */
  hasModes: boolean;
  range: TimeRange;
  from: string;
  to: string;
  plans: readonly { id: string; name: string }[];
  isLive: boolean;
  /** Only the newest page of a time that ends now can follow. */
  canBeLive: boolean;
  exports: ReactNode;
};

/** Time, mode, client, plan and route of the log: all in the address. */
export function LogToolbar(props: LogToolbarProps) {
  const { path, query, mode, hasModes, range, from, to, plans, isLive, canBeLive } = props;
  const { exports } = props;
  const router = useRouter();
  const { range: _range, from: _from, to: _to, ...rest } = query;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {hasModes && <ModeTabs path={path} query={query} active={mode} withBoth />}
        <RangePicker
          path={path}
          query={rest}
          active={range.kind === "last" ? range.name : null}
          from={from}
          to={to}
        />
        <Switch
          label="Follow"
          checked={isLive}
          disabled={!canBeLive}
          onCheckedChange={(on) =>
            router.replace(hrefWith(path, { ...query, live: on ? "1" : undefined }), {
              scroll: false,
            })
          }
        />
        <span className="ms-auto flex gap-2 max-sm:ms-0">{exports}</span>
      </div>
      <FilterBar
        resets={[PAGES_KEY]}
        filters={[
          { kind: "search", key: "client", label: "Client, as key:… or ip:…" },
          {
            kind: "select",
            key: "plan",
            label: "Plan",
            all: "All plans",
            options: plans.map(({ id, name }) => ({ value: id, label: name })),
          },
          { kind: "search", key: "route", label: "Route, as /v1/links/:id" },
          // Asked for by links only; shown so that it can be taken away again.
          ...(query.revision === undefined
            ? []
            : [{ kind: "search" as const, key: "revision", label: "Revision, as 3" }]),
        ]}
      />
    </div>
  );
}
