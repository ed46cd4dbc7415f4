import type { ListsDetail } from "@/lib/core/api/lists";
import { DENY_RULE, FLOOD_RULE } from "@/lib/core/own-rules";
import type { Ctx } from "./context";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { ruleHits } from "./rule-hits";

const LIST_RULES = [DENY_RULE, FLOOD_RULE] as const;

/** The live lists, with what they drop now. */
export async function getLists(ctx: Ctx): Promise<ListsDetail> {
  requirePermission(ctx, "read");
  const { version, body } = await getLive(ctx.db);
  const nowMs = ctx.clock.nowMs();
  const hits = await ruleHits(ctx.db, LIST_RULES, nowMs);
  return {
    version,
    lists: body.lists,
    hits: LIST_RULES.flatMap(({ id }) => {
      const figures = hits.get(id);
      return figures === undefined ? [] : [{ rule: id, ...figures }];
    }),
    asOf: new Date(nowMs).toISOString(),
  };
}
