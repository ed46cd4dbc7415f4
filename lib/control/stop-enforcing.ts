import type { z } from "zod";
import { type StopMade, StopRequestSchema } from "@/lib/core/api/stops";
import { isShared } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inMode } from "@/lib/core/rule";
import type { Content } from "@/lib/core/ruleset-objects";
import { jsonColumn } from "@/lib/db/json";
import { commitVersion } from "./commit-version";
import { actorName, type Ctx } from "./context";
import type { LoadedVersion } from "./live-version";
import { requirePermission } from "./permission";
import { randomId } from "./random-id";
import { stopRow } from "./stop-row";

const NAMED_MAX = 5;

/** The way out at night: enforced rules become shadow in one version, until a time or until somebody ends it. */
export async function stopEnforcing(
  ctx: Ctx,
  input: z.input<typeof StopRequestSchema>,
): Promise<StopMade> {
  requirePermission(ctx, "relax");
  const request = parseInput(StopRequestSchema, input, "the stop");
  const { reason, minutes, expectVersion } = request;
  const id = randomId();
  const createdAt = new Date(ctx.clock.nowMs());
  const expiresAt = new Date(ctx.clock.nowMs() + minutes * 60_000);
  const published = await commitVersion(
    ctx,
    { versions: expectVersion === undefined ? [] : [expectVersion], edits: [] },
    (_tx, live) => {
      const rules = enforcedRules(live, request.rules);
      const what = wordsFor(request.rules === "all" ? "all" : "rules", rules);
      return {
        kind: "mode",
        message: `stop enforcing ${what}: ${reason}`,
        content: withModes(live.content, rules, "shadow"),
        // To shadow asks for none.
        evidence: "required",
        audit: {
          action: "stop.begin",
          kind: "stop",
          objectId: id,
          did: `stopped enforcing ${what} until ${expiresAt.toISOString()}`,
          reason,
          after: { rules, expiresAt: expiresAt.toISOString() },
        },
        also: (tx) =>
          tx.enforcementStop.create({
            data: {
              id,
              scope: request.rules === "all" ? "all" : "rules",
              rules,
              reason,
              actor: jsonColumn(actorName(ctx.actor)),
              version: live.version + 1,
              createdAt,
              expiresAt,
            },
          }),
      };
    },
  );
  const row = await ctx.db.enforcementStop.findUniqueOrThrow({ where: { id } });
  return { ...published, stop: stopRow(row) };
}

/** Ids of those to set to shadow. Throws for one that is not there, and when none is enforced. */
function enforcedRules({ content, version }: LoadedVersion, asked: "all" | string[]): string[] {
  const missing =
    asked === "all" ? undefined : asked.find((id) => !content.rules.some((rule) => rule.id === id));
  if (missing !== undefined)
    throw new AppError("not_found", `there is no rule ${missing} in version ${version}`);
  const shared = new Set(
    content.candidates.filter(({ share }) => isShared(share)).map(({ id }) => id),
  );
  const enforced = content.rules.filter(
    ({ id, mode }) =>
      (mode === "enforce" || shared.has(id)) && (asked === "all" || asked.includes(id)),
  );
  if (enforced.length > 0) return enforced.map(({ id }) => id);
  throw new AppError(
    "conflict",
    asked === "all" ? "no rule is enforced now" : `${asked.join(", ")}: not enforced now`,
    { details: { reason: "unchanged", current: version } },
  );
}

export function withModes(
  content: Content,
  ids: readonly string[],
  mode: "shadow" | "enforce",
): Content {
  const changed = new Set(ids);
  const rules = content.rules.map((rule) => (changed.has(rule.id) ? inMode(rule, mode) : rule));
  // A share would go on to be refused by the candidate; it stays, in shadow, and its share does not come back by itself.
  const candidates =
    mode === "enforce"
      ? content.candidates
      : content.candidates.map((each) => (changed.has(each.id) ? { ...each, share: 0 } : each));
  return { ...content, rules, candidates };
}

/** `everything (3 rules)`, `links, per-key-rate and 4 more` */
export function wordsFor(scope: "all" | "rules", rules: readonly string[]): string {
  if (scope === "all")
    return `everything (${rules.length} ${rules.length === 1 ? "rule" : "rules"})`;
  const named = rules.slice(0, NAMED_MAX).join(", ");
  return rules.length > NAMED_MAX ? `${named} and ${rules.length - NAMED_MAX} more` : named;
}
