"use client";

import { PAGES_KEY } from "@/components/ui/cursor-pages";
import { FilterBar } from "@/components/ui/filter-bar";
import { apiKeyPrefix } from "@/lib/core/api-key";
import type { PlanChoice } from "./key-actions";

export function KeyFilters({ plans }: { plans: readonly PlanChoice[] }) {
  return (
    <FilterBar
      resets={[PAGES_KEY]}
      filters={[
        {
          kind: "search",
          key: "prefix",
          label: "Beginning of a key, hg_…",
          // Somebody may paste the whole key, and an address is logged and kept.
          shorten: (text) => apiKeyPrefix(text.trim()),
        },
        { kind: "search", key: "find", label: "Beginning of a customer" },
        {
          kind: "select",
          key: "plan",
          label: "Plan",
          all: "All plans",
          options: plans.map(({ id, name }) => ({ value: id, label: name })),
        },
        {
          kind: "select",
          key: "revoked",
          label: "Revoked keys",
          all: "Without revoked ones",
          options: [{ value: "true", label: "With revoked ones" }],
        },
      ]}
    />
  );
}
