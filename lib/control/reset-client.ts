import type { z } from "zod";
import { type ClientReset, ClientResetRequestSchema } from "@/lib/core/api/clients";
import { clientBuckets } from "@/lib/core/client-buckets";
import { AppError } from "@/lib/core/errors";
import { AmountSchema } from "@/lib/core/limit";
import { listWords } from "@/lib/core/list-words";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import { publishNotice } from "@/lib/redis/notices";
import type { Ctx } from "./context";
import { type LoadedClient, loadClient, subjectsOf, toClientOverride } from "./known-client";
import { isInFlight, type LiveBucket, liveBuckets } from "./live-buckets";
import { getLive, type LoadedVersion } from "./live-version";
import { overrideTrouble } from "./override-row";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/**
 * Fills a client's own buckets, and of a key those of its customer; gateways forget what they know and hold of them.
 * What others are counted in, too, and requests in flight stay. Throws `unavailable` while their Redis is away.
 */
export async function resetClient(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof ClientResetRequestSchema>,
): Promise<ClientReset> {
  requirePermission(ctx, "reset");
  const { rule, reason } = parseInput(ClientResetRequestSchema, input, "the reset");
  const live = await getLive(ctx.db);
  const known = await loadClient(ctx.db, id, live);
  const { client } = known;
  const overrides = await overridesInForce(ctx, known, live);
  if (rule !== undefined) requireResettable(live, { known, overrides, rule });
  const buckets = (await liveBuckets(ctx, live, { known, overrides })).filter(
    (bucket) =>
      !bucket.isShared && !isInFlight(bucket) && (rule === undefined || bucket.rule === rule),
  );
  const used = buckets.filter(({ isKept }) => isKept);
  const rules = [...new Set(used.map((bucket) => bucket.rule))];
  await inTransaction(ctx.db, async (tx) => {
    const what = rules.length === 0 ? "nothing was used" : `rules ${listWords(rules, 10)}`;
    await recordAudit(tx, ctx.actor, {
      action: "client.reset",
      kind: "client",
      objectId: client,
      sentence: `${ctx.actor.name} reset the counters of ${client}: ${what}`,
      reason,
      before: used.map((bucket) => ({
        rule: bucket.rule,
        principal: bucket.principal,
        route: bucket.route,
        used: bucket.row.used,
        of: bucket.row.quota,
      })),
      details: rule === undefined ? {} : { rule },
    });
    // Last, so that there is no reset without its row.
    await takeOut(ctx, buckets);
  });
  return { client, rules, told: await tellGateways(ctx, known) };
}

async function takeOut(ctx: Ctx, buckets: readonly LiveBucket[]): Promise<void> {
  const slots = new Map<string, number[]>();
  for (const { key, slot, isKept, route } of buckets) {
    // Of one value all slots: what came since it was read goes, too.
    if (route !== null && !isKept) continue;
    slots.set(key, [...(slots.get(key) ?? []), slot]);
  }
  const counters = ctx.counters();
  await Promise.all([...slots].map(([key, own]) => counters.takeOut(key, own)));
}

async function tellGateways(ctx: Ctx, known: LoadedClient): Promise<boolean> {
  try {
    const principals = subjectsOf(known);
    await publishNotice(ctx.redis, ctx.redisKeys, { kind: "reset", principals });
    return true;
  } catch (error) {
    ctx.log.warn({ error, client: known.client }, "gateways were not told of a reset");
    return false;
  }
}

async function overridesInForce(ctx: Ctx, known: LoadedClient, { content }: LoadedVersion) {
  const stored = await ctx.db.override.findMany({
    where: {
      client: { in: subjectsOf(known) },
      endedAt: null,
      expiresAt: { gt: new Date(ctx.clock.nowMs()) },
    },
  });
  return stored
    .filter((row) => overrideTrouble(row, content) === null)
    .map(({ client, ruleId: rule, limit }) =>
      toClientOverride({ client, rule, limit: AmountSchema.parse(limit) }),
    );
}

type Asked = {
  known: LoadedClient;
  overrides: Awaited<ReturnType<typeof overridesInForce>>;
  rule: string;
};

/** Throws for a rule of which nothing of this client can be reset, with the reason. */
function requireResettable({ body, version }: LoadedVersion, { known, overrides, rule }: Asked) {
  if (!body.rules.some(({ id }) => id === rule))
    throw new AppError("not_found", `there is no rule ${rule} in the live version ${version}`);
  const { buckets, unnamed } = clientBuckets(body, known, overrides);
  const own = buckets.filter((bucket) => bucket.rule === rule);
  const why = unnamed.find((each) => each.rule === rule)?.why;
  const refuse = (message: string) => {
    throw new AppError("invalid", `nothing of ${known.client} to reset: ${message}`);
  };
  if (why !== undefined && own.length === 0) refuse(`rule ${rule} ${why}`);
  if (own.length === 0) refuse(`rule ${rule} does not hold it to a limit`);
  if (own.every(isInFlight))
    refuse(`rule ${rule} counts requests in flight, which end by themselves`);
  if (own.every(({ isShared }) => isShared)) refuse(`rule ${rule} counts it together with others`);
}
