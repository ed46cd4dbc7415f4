"use client";

import { FilterBar } from "@/components/ui/filter-bar";
import { apiKeyPrefix } from "@/lib/core/api-key";

/** Whoever asks for another client leaves the one that is shown. */
export function ClientSearch() {
  return (
    <FilterBar
      resets={["client", "request"]}
      filters={[
        {
          kind: "search",
          key: "q",
          label: "Key, customer, IP, request id",
          // Somebody may paste a whole key, and an address is logged and kept.
          shorten: (text) => (text.trim().startsWith("hg_") ? apiKeyPrefix(text.trim()) : text),
        },
      ]}
    />
  );
}
