import type { z } from "zod";
import { type Stop, StopEndRequestSchema } from "@/lib/core/api/stops";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { EnforcementStop } from "@/lib/db/generated/client";
import { lockInstallation } from "@/lib/db/installation";
import { jsonColumn } from "@/lib/db/json";
import { writeVersion } from "./commit-version";
import { actorName, type Ctx } from "./context";
import { type LoadedVersion, loadVersion } from "./live-version";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { withModes, wordsFor } from "./stop-enforcing";
import { stopRow } from "./stop-row";

/**
 * Enforces again what a stop set to shadow, as it was: no evidence is asked for. A rule that somebody changed,
 * removed or rolled back meanwhile stays as it is. Ending a stop that has ended does nothing.
 */
export async function endStop(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof StopEndRequestSchema>,
): Promise<Stop> {
  requirePermission(ctx, "rollback");
  const { reason } = parseInput(StopEndRequestSchema, input, "the end");
  return inTransaction(ctx.db, async (tx) => {
    const installation = await lockInstallation(tx);
    const stop = await tx.enforcementStop.findUnique({ where: { id } });
    if (stop === null) throw new AppError("not_found", `there is no stop ${id}`);
    if (stop.endedAt !== null || installation === null) return stopRow(stop);
    const live = await loadVersion(tx, installation.version);
    const again = await rulesToEnforce(tx, stop, live);
    const left = stop.rules.filter((rule) => !again.includes(rule));
    const isDue = ctx.actor.type === "system";
    const outcome = outcomeOf(again, left);
    let endedVersion: number | null = null;
    if (again.length > 0) {
      const what = wordsFor(left.length === 0 && stop.scope === "all" ? "all" : "rules", again);
      const made = await writeVersion(ctx, tx, {
        installation,
        live,
        plan: {
          kind: "mode",
          message: `enforce ${what} again: the stop of version ${stop.version} ${isDue ? "is over" : "was ended"}`,
          content: withModes(live.content, again, "enforce"),
          evidence: "exempt",
          audit: {
            action: "stop.end",
            kind: "stop",
            objectId: id,
            did: `${isDue ? "ended the stop that was due" : "ended the stop"}: ${outcome}`,
            reason,
          },
        },
      });
      endedVersion = made.version;
    } else
      await recordAudit(tx, ctx.actor, {
        action: "stop.end",
        kind: "stop",
        objectId: id,
        sentence: `${ctx.actor.name} ended the stop of version ${stop.version}: ${outcome}`,
        reason,
      });
    const ended = await tx.enforcementStop.update({
      where: { id },
      data: {
        endedAt: new Date(ctx.clock.nowMs()),
        endedBy: jsonColumn(actorName(ctx.actor)),
        endedVersion,
        outcome,
      },
    });
    return stopRow(ended);
  });
}

/** Those that are as the stop left them: in shadow, and the same revision in every version since. */
async function rulesToEnforce(
  tx: Tx,
  stop: EnforcementStop,
  { content }: LoadedVersion,
): Promise<string[]> {
  // Who rolled everything back since has said what shall be.
  const rolledBack = await tx.version.count({
    where: { number: { gt: stop.version }, restores: { not: null } },
  });
  if (rolledBack > 0) return [];
  const same = await tx.$queryRaw<{ id: string }[]>`
    SELECT object_id AS id FROM version_item
    WHERE version_number >= ${stop.version} AND kind = 'rule' AND lane = 'live' AND object_id = ANY(${stop.rules})
    GROUP BY object_id
    HAVING count(DISTINCT revision) = 1
      AND count(*) = (SELECT count(*) FROM version WHERE number >= ${stop.version})`;
  const shadowed = new Set(
    content.rules.filter(({ mode }) => mode === "shadow").map((rule) => rule.id),
  );
  return same.map(({ id }) => id).filter((id) => shadowed.has(id));
}

function outcomeOf(again: readonly string[], left: readonly string[]): string {
  const parts = [
    ...(again.length > 0 ? [`${wordsFor("rules", again)} enforced again`] : []),
    ...(left.length > 0
      ? [
          `${wordsFor("rules", left)} left as ${left.length === 1 ? "it is" : "they are"}, changed since`,
        ]
      : []),
  ];
  return parts.join("; ");
}
