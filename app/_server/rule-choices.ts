import type { RuleChoice } from "@/components/overrides/override-actions";
import { type Ctx, getOverview, getVersion } from "@/lib/control";

/** What a dialog of an override has to know of the live version. */
export async function ruleChoices(
  ctx: Ctx,
): Promise<{ rules: RuleChoice[]; ipv6PrefixLength: number }> {
  const { version } = await getOverview(ctx);
  const { body } = await getVersion(ctx, { number: version });
  const rules = body.rules.flatMap(({ live }): RuleChoice[] => {
    if (live === undefined) return [];
    const { id, name, mode, match, countBy, limit } = live.rule;
    const { plans, authenticated } = match;
    return [{ id, name, mode, countBy, limit, match: { plans, authenticated } }];
  });
  return { rules, ipv6PrefixLength: body.settings.ipv6PrefixLength };
}
