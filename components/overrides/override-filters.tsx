"use client";

import { PAGES_KEY } from "@/components/ui/cursor-pages";
import { FilterBar } from "@/components/ui/filter-bar";
import { apiKeyPrefix } from "@/lib/core/api-key";

type OverrideFiltersProps = {
  /** Ids of rules that have overrides. */
  rules: readonly string[];
  hasClient: boolean;
};

export function OverrideFilters({ rules, hasClient }: OverrideFiltersProps) {
  return (
    <FilterBar
      resets={[PAGES_KEY]}
      filters={[
        {
          kind: "search",
          key: "q",
          label: "Search client, owner, reason, id",
          // Somebody may paste a whole key, and an address is logged and kept.
          shorten: (text) => (text.trim().startsWith("hg_") ? apiKeyPrefix(text.trim()) : text),
        },
        {
          kind: "select",
          key: "rule",
          label: "Rule",
          all: "Every rule",
          options: rules.map((id) => ({ value: id, label: id })),
        },
        {
          kind: "select",
          key: "state",
          label: "State",
          all: "Not ended",
          options: [
            { value: "active", label: "Active" },
            { value: "ignored", label: "Ignored" },
            { value: "expired", label: "Expired" },
            { value: "ended", label: "Ended" },
            { value: "all", label: "All, past ones too" },
          ],
        },
        {
          kind: "select",
          key: "expiring",
          label: "Expiry",
          all: "Any expiry",
          options: [
            { value: "1", label: "Expiring within a day" },
            { value: "7", label: "Expiring this week" },
          ],
        },
        // Asked for by links only; shown so that it can be taken away again.
        ...(hasClient
          ? [{ kind: "search" as const, key: "client", label: "Client, such as key:k1" }]
          : []),
      ]}
    />
  );
}
