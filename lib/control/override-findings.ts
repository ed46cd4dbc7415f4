import type { LintFinding } from "@/lib/core/api/change";
import { ClientIdSchema } from "@/lib/core/client-id";
import { AmountSchema } from "@/lib/core/limit";
import { listWords } from "@/lib/core/list-words";
import { overrideMisfit } from "@/lib/core/override-subject";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";

/** Rules whose overrides gateways would pass over, since the rule takes another form of limit or counts by others. */
export async function overrideFindings(
  reader: Reader,
  { rules, settings }: Content,
  nowMs: number,
): Promise<LintFinding[]> {
  const stored = await reader.override.findMany({
    where: { endedAt: null, expiresAt: { gt: new Date(nowMs) } },
    orderBy: { id: "asc" },
  });
  return rules.flatMap((rule): LintFinding[] => {
    const ignored = stored.flatMap(({ id, ruleId, client, limit }) => {
      if (ruleId !== rule.id) return [];
      const override = { client: ClientIdSchema.parse(client), limit: AmountSchema.parse(limit) };
      const misfit = overrideMisfit(rule, override, settings);
      return misfit === null ? [] : [{ id, ...misfit }];
    });
    const [first] = ignored;
    if (first === undefined) return [];
    const ids = listWords(ignored.map(({ id }) => id));
    const message = `${ignored.length === 1 ? "override" : "overrides"} ${ids} would be ignored: ${first.message}`;
    const path = first.path === "limit" ? "limit" : "countBy";
    return [
      { level: "warning", code: "overrides-ignored", kind: "rule", id: rule.id, path, message },
    ];
  });
}
