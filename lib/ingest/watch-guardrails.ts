import { undoEnforcement } from "@/lib/control";
import { OPEN_STATES } from "@/lib/control/enforcement-columns";
import { judgeEnforcements } from "@/lib/control/judge-enforcements";
import { getLive } from "@/lib/control/live-version";
import { readSight } from "./guardrail-sight";
import { runLoop } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** Looks at what was enforced, and takes back what crosses its guardrail. Needs Postgres only. */
export function runWatchGuardrails(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const everyMs = ctx.timings.guardrailsMs;
  return runLoop(
    { name: "guardrails", pass: () => passGuardrails(ctx), everyMs, log: ctx.log },
    signal,
  );
}

/** Rows that are held at once: few, as a publish of their rules waits for them. */
const ROWS_A_LOOK = 50;

/** One pass. Several workers may: a row is looked at by one at a time. What fails keeps no other rule from being looked at. */
export async function passGuardrails(ctx: WorkerCtx): Promise<void> {
  const open = await findDue(ctx.db);
  if (open.length === 0) return;
  const sightOf = await readSight(ctx);
  const live = await getLive(ctx.db);
  const ruleOf = new Map(open.map(({ id, ruleId }) => [id, ruleId]));
  const ids = [...ruleOf.keys()];
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<void>) => {
    await work().catch((error: unknown) => failures.push(error));
  };
  for (let from = 0; from < ids.length; from += ROWS_A_LOOK) {
    await attempt(async () => {
      const some = ids.slice(from, from + ROWS_A_LOOK);
      const looked = await judgeEnforcements(ctx, some, { sightOf, live });
      failures.push(...looked.failures);
      for (const { id, verdict } of looked.judged) {
        if (verdict !== "undo") continue;
        await attempt(async () => {
          const outcome = await undoEnforcement(ctx, { id });
          ctx.log.warn({ rule: ruleOf.get(id), ...outcome }, "a guardrail was crossed");
        });
      }
    });
  }
  if (failures.length > 0) throw failures[0];
}

/** What has nothing new to tell is looked at this often, as gateways fall silent, and time that is watched adds up. */
const IDLE_LOOK_SECONDS = 10;

/** Those whose counts changed, or that wait for more than counts: after a large publish most rules are idle. */
function findDue(db: WorkerCtx["db"]): Promise<{ id: string; ruleId: string }[]> {
  return db.$queryRaw`
    SELECT e.id, e.rule_id AS "ruleId" FROM enforcement e
    WHERE e.state = ANY(${OPEN_STATES}::text[]) AND e.held_for IS DISTINCT FROM 'crossing' AND (
      e.looked_at IS NULL OR e.looked_at < clock_timestamp() - make_interval(secs => ${IDLE_LOOK_SECONDS})
      OR e.state = 'held' OR e.judgement->>'verdict' IN ('crossing', 'undo')
      OR (e.looks->-1->>'requests')::float8 IS DISTINCT FROM COALESCE((
        SELECT sum(c.requests) FROM count_minute c
        WHERE c.rule_id = e.rule_id AND c.minute >= date_trunc('minute', e.since) AND c.mode = 'enforce'
          AND c.revision = ANY(e.revisions)), 0)::float8)
    ORDER BY e.looked_at NULLS FIRST, e.id`;
}
