import type { z } from "zod";
import { type RuleList, type RuleListQuery, RuleListQuerySchema } from "@/lib/core/api/rules";
import { limitSentence } from "@/lib/core/limit-sentence";
import { parseInput } from "@/lib/core/parse";
import type { Rule } from "@/lib/core/rule";
import type { RevisionEntry } from "@/lib/core/ruleset";
import type { Ctx } from "./context";
import { decodeCursor, pageOf } from "./cursor";
import { getLive, type LoadedVersion } from "./live-version";
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
  const entries = askedOf(live, query).filter(({ rule }) => rule.id > after);
  const page = pageOf(entries, query.limit, ({ rule }) => [rule.id]);
  const next = page.next === undefined ? {} : { next: page.next };
  return { ...(await rowsOf(ctx, live, page.rows)), ...next };
}

/** As `listRules`, without pages: for an order by what is refused now, which needs every row. */
export async function listAllRules(
  ctx: Ctx,
  input: Pick<z.input<typeof RuleListQuerySchema>, "q" | "mode"> = {},
): Promise<RuleList> {
  requirePermission(ctx, "read");
  const query = parseInput(RuleListQuerySchema, input, "the query");
  const live = await getLive(ctx.db);
  return rowsOf(ctx, live, askedOf(live, query));
}

async function rowsOf(
  ctx: Ctx,
  live: LoadedVersion,
  entries: readonly RevisionEntry[],
): Promise<RuleList> {
  return {
    items: await ruleRows(ctx, ctx.db, { body: live.body, entries }),
    total: live.body.rules.length,
    version: live.version,
    asOf: new Date(ctx.clock.nowMs()).toISOString(),
  };
}

function askedOf({ body }: LoadedVersion, query: RuleListQuery): RevisionEntry[] {
  return body.rules.flatMap((entry) => entry.live ?? []).filter(({ rule }) => isAsked(rule, query));
}

/** By id, name, path, or anything that its line for people says. */
function isAsked(rule: Rule, { q, mode: modes }: RuleListQuery): boolean {
  if (modes !== undefined && !modes.includes(rule.mode)) return false;
  const text = q?.trim().toLowerCase() ?? "";
  if (text === "") return true;
  const searched = [rule.id, rule.name, limitSentence(rule), ...(rule.match.routes ?? [])];
  return searched.some((part) => part.toLowerCase().includes(text));
}
