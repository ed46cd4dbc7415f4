import {
  type Ctx,
  getOverview,
  getRule,
  publish,
  putDraftItem,
  SYSTEM,
  setRuleMode,
  withActor,
} from "../control";
import { takeBatches } from "../control/take-batches";
import type { Guardrail } from "../core/guardrail";
import type { Rule } from "../core/rule";
import { passGuardrails } from "../ingest/watch-guardrails";
import { TIMINGS, type WorkerCtx } from "../ingest/worker-context";
import type { TestControl } from "./control";
import { countBatch, heartbeat } from "./worker";

type Counted = { plan?: string; requests: number; rejections: number };

/** A fleet of one or more gateways that tells what it counted, and a worker that looks when it is told to. */
export function guardedWorld(world: TestControl) {
  const { control, ctx } = world;
  const { environment, db } = control;
  const sequences = new Map<string, number>();

  /** A heartbeat and a batch of one gateway: it is live, has applied what is live, and counted this. */
  async function report(
    id: string,
    counts: Counted[],
    { gateway = "gw-1", mode = "enforce" as "shadow" | "enforce", lane = "live" as const } = {},
  ): Promise<void> {
    const entry = await getRule(ctx, { id });
    await reportOf(id, counts, { gateway, mode, lane, revision: entry.revision });
  }

  async function reportOf(
    id: string,
    counts: Counted[],
    {
      gateway = "gw-1",
      mode = "enforce",
      lane = "live",
      revision,
    }: {
      gateway?: string;
      mode?: "shadow" | "enforce";
      lane?: "live" | "candidate";
      revision: number;
    },
  ): Promise<void> {
    const { version } = await getOverview(ctx);
    const now = new Date(control.clock.nowMs());
    const seen = {
      lastSeenAt: now,
      appliedEpoch: 0,
      appliedVersion: version,
      mode: "shared",
      heartbeat: JSON.parse(JSON.stringify(heartbeat({ environment, gateway }))),
    };
    await db.gateway.upsert({
      where: { id: gateway },
      create: { id: gateway, boot: "boot-0001", firstSeenAt: new Date(0), ...seen },
      update: seen,
    });
    const sequence = (sequences.get(gateway) ?? 0) + 1;
    sequences.set(gateway, sequence);
    const second = Math.floor(control.clock.nowMs() / 1000);
    const requests = counts.reduce((sum, row) => sum + row.requests, 0);
    await takeBatches(control, {
      source: "test",
      received: [
        {
          id: `${gateway}-${sequence}`,
          batch: countBatch({
            environment,
            gateway,
            boot: `boot-${gateway}`,
            sequence,
            counts: counts.map(({ plan = "free", ...row }) => ({
              second,
              rule: id,
              revision,
              mode,
              lane,
              plan,
              route: "other",
              newly: mode === "shadow" ? row.rejections : 0,
              ...row,
            })),
            traffic: { requests, refused: 0, local: 0, unchecked: 0 },
          }),
        },
      ],
    });
  }

  return {
    report,
    reportOf,
    /** A pass of a worker of its own. */
    pass: (as: Ctx = ctx) =>
      passGuardrails({ ...withActor(as, SYSTEM), timings: TIMINGS } as Ctx as WorkerCtx),
    publishRules: async (rules: Rule[], fields: { guardrail?: Guardrail | null } = {}) => {
      for (const rule of rules) await putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
      const { version } = await getOverview(ctx);
      return publish(ctx, {
        message: "rules",
        baseVersion: version,
        acknowledgeGaps: true,
        acknowledgeRadius: true,
        ...fields,
      });
    },
    enforce: (id: string, guardrail?: Guardrail | null) =>
      setRuleMode(ctx, {
        id,
        mode: "enforce",
        reason: "seen in shadow",
        acknowledgeGaps: true,
        acknowledgeRadius: true,
        ...(guardrail !== undefined && { guardrail }),
      }),
    modeOf: async (id: string) => (await getRule(ctx, { id })).mode,
    /** As if all that was seen of a rule so far was seen so much earlier. */
    age: async (id: string, seconds: number) => {
      await db.$executeRaw`
        UPDATE enforcement SET since = since - make_interval(secs => ${seconds}),
          state_at = state_at - make_interval(secs => ${seconds}),
          looked_at = looked_at - make_interval(secs => ${seconds}),
          looks = (SELECT jsonb_agg(look || jsonb_build_object('atMs', (look->>'atMs')::float8 - ${seconds * 1000}::float8))
            FROM jsonb_array_elements(looks) AS look),
          judgement = CASE WHEN judgement->>'crossedSince' IS NULL THEN judgement
            ELSE judgement || jsonb_build_object('crossedSince', to_char(((judgement->>'crossedSince')::timestamptz
              - make_interval(secs => ${seconds})) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END
        WHERE rule_id = ${id}`;
    },
  };
}
