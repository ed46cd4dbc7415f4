import type { Clock } from "@/lib/clock";
import type { Identity } from "@/lib/core/identity";
import type { CompiledLists } from "@/lib/core/lists";
import { createFloodGuard } from "./flood-guard";

/**
 * allow: no rule is asked. deny, flooded: refused. under-flood: a flood entry applied and has room. unlisted: no
 * entry applied.
 */
export type ListVerdict = "allow" | "deny" | "flooded" | "under-flood" | "unlisted";

/** What the lists do with a request, without Redis. */
export function createListGuard(deps: {
  clock: Clock;
}): (lists: CompiledLists, identity: Identity) => ListVerdict {
  const flood = createFloodGuard(deps);
  return (lists, identity) => {
    const ruling = lists.find(identity);
    if (ruling === null) return "unlisted";
    if (ruling.list !== "flood") return ruling.list;
    return flood.admit(identity.ipClient, ruling.perSecond) ? "under-flood" : "flooded";
  };
}
