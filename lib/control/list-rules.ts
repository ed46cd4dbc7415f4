import type { z } from "zod";
import { type RuleList, type RuleListQuery, RuleListQuerySchema } from "@/lib/core/api/rules";
import { limitSentence } from "@/lib/core/limit-sentence";
import { parseInput } from "@/lib/core/parse";
import type { Rule } from "@/lib/core/rule";
import type { Ctx } from "./context";
import { decodeCursor, pageOf } from "./cursor";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { ruleRows } from "./rule-rows";

/** The live rules by id, with what they refuse now. */
export async function listRules(
  ctx: Ctx,
  input: z.input<typeof RuleListQuerySchema> = {},
): Promise<RuleList> {
  requirePermission(ctx, "read");
  const query = parseInput(RuleListQuerySchema, input, "the query");
  const live = await getLive(ctx.db);
  const [after = ""] = query.cursor === undefined ? [] : decodeCursor(query.cursor, 1);
  const entries = live.body.rules
    .flatMap((entry) => entry.live ?? [])
    .filter(({ rule }) => rule.id > after && isAsked(rule, query));
  const page = pageOf(entries, query.limit, ({ rule }) => [rule.id]);
  return {
    items: await ruleRows(ctx, ctx.db, page.rows),
    ...(page.next === undefined ? {} : { next: page.next }),
    total: live.body.rules.length,
    version: live.version,
    asOf: new Date(ctx.clock.nowMs()).toISOString(),
  };
}

/** By id, name, path, or anything that its line for people says. */
function isAsked(rule: Rule, { q, mode: modes }: RuleListQuery): boolean {
  if (modes !== undefined && !modes.includes(rule.mode)) return false;
  const text = q?.trim().toLowerCase() ?? "";
  const searched = [rule.id, rule.name, limitSentence(rule), ...(rule.match.routes ?? [])];
  return searched.some((part) => part.toLowerCase().includes(text));
}
