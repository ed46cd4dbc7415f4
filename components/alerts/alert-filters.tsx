"use client";

import { PAGES_KEY } from "@/components/ui/cursor-pages";
import { FilterBar } from "@/components/ui/filter-bar";
import { ALERT_KINDS, SEVERITIES } from "@/lib/core/alert";
import { alertKinds } from "./alert-words";

export function AlertFilters() {
  return (
    <FilterBar
      resets={[PAGES_KEY]}
      filters={[
        {
          kind: "select",
          key: "severity",
          label: "Severity",
          all: "All severities",
          options: SEVERITIES.map((value) => ({ value, label: value })),
        },
        {
          kind: "select",
          key: "kind",
          label: "Kind",
          all: "All kinds",
          options: ALERT_KINDS.map((value) => ({ value, label: alertKinds[value] ?? value })),
        },
      ]}
    />
  );
}
