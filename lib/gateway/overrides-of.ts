import type { DirectoryIndex } from "@/lib/agent/directory-index";
import type { Clock } from "@/lib/clock";
import type { ClientId } from "@/lib/core/client-id";
import type { Identity } from "@/lib/core/identity";
import type { OverrideSubject } from "@/lib/core/override-subject";
import type { RequestFacts } from "@/lib/core/ruleset-index";

type Overrides = Pick<RequestFacts, "override" | "overrideUsed">;

const NONE: Overrides = { override: () => null };

/** The overrides of whoever sent a request: of its key, its customer and its address. */
export function overridesOf(
  directory: Pick<DirectoryIndex, "hasOverrides" | "findOverride">,
  { client, customer, ipClient }: Identity,
  clock: Pick<Clock, "nowMs">,
  used: (overrideId: string) => void,
): Overrides {
  const ids: Record<OverrideSubject, ClientId | null> = {
    key: client.startsWith("key:") ? client : null,
    customer: customer === null ? null : `customer:${customer}`,
    ip: ipClient,
  };
  const has = (id: ClientId | null) => id !== null && directory.hasOverrides(id);
  if (!has(ids.key) && !has(ids.customer) && !has(ids.ip)) return NONE;
  const find = (rule: string, subject: OverrideSubject) => {
    const id = ids[subject];
    return id === null ? null : directory.findOverride(id, rule, clock.nowMs());
  };
  return {
    override: (rule, subject) => find(rule, subject)?.limit ?? null,
    overrideUsed: (rule, subject) => {
      const found = find(rule, subject);
      if (found !== null) used(found.id);
    },
  };
}
