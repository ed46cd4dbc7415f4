import type { z } from "zod";
import { type ClientDetail, ClientQuerySchema } from "@/lib/core/api/clients";
import { notLimitedSentence } from "@/lib/core/client-answer";
import { clientBuckets } from "@/lib/core/client-buckets";
import { overrideFor, type RuleReason, ruleReasons } from "@/lib/core/client-reasons";
import { identityOf } from "@/lib/core/client-rules";
import { AppError } from "@/lib/core/errors";
import { compileLists } from "@/lib/core/lists";
import { parseInput } from "@/lib/core/parse";
import type { Reader } from "@/lib/db/client";
import { clientHits, decisionRow, hitsOfRequest, sentenceOf } from "./client-hits";
import type { Ctx } from "./context";
import { findLoosened } from "./find-loosened";
import { type LoadedClient, loadClient, subjectsOf, toClientOverride } from "./known-client";
import { limitsSince } from "./limit-since";
import { liveBuckets, shownBuckets } from "./live-buckets";
import { getLive, type LoadedVersion } from "./live-version";
import { overrideRows } from "./override-row";
import { requirePermission } from "./permission";

/** Why a client was limited, or why it was not. Reads only. */
export async function getClient(
  ctx: Ctx,
  { id, ...query }: { id: string } & z.input<typeof ClientQuerySchema>,
): Promise<ClientDetail> {
  requirePermission(ctx, "read");
  const { request } = parseInput(ClientQuerySchema, query, "the query");
  const live = await getLive(ctx.db);
  const known = await loadClient(ctx.db, id, live);
  const overrides = await overridesNow(ctx, known, live);
  const inForce = overrides.filter(({ state }) => state === "active").map(toClientOverride);
  const { body } = live;
  const reasons = ruleReasons(body, known, inForce);
  const [hits, asked, since, read, loosened] = await Promise.all([
    clientHits(ctx.db, known),
    request === undefined ? null : requestOf(ctx.db, known, request),
    limitsSince(ctx.db, countingRules(reasons), known),
    bucketsOf(ctx, live, { known, overrides: inForce }),
    findLoosened(ctx.db, ctx.clock.nowMs()),
  ]);
  const ruling = compileLists(body.lists).find(identityOf(known));
  const told = asked ?? hits.find(({ mode }) => mode === "enforce") ?? null;
  const hasShadowHits = hits.length > 0;
  return {
    client: known.client,
    plan: known.plan,
    customer: known.customer,
    name: known.name === "" ? null : known.name,
    prefix: known.prefix,
    isRevoked: known.isRevoked,
    answer: {
      limited: told?.mode === "enforce",
      sentence:
        told === null
          ? notLimitedSentence({ ruling, reasons, hasShadowHits, loosened })
          : await sentenceOf(ctx.db, told, known),
      rule: told?.ruleId ?? null,
      requestId: told?.requestId ?? null,
    },
    list: ruling === null ? null : { list: ruling.list, value: ruling.value },
    overrides,
    rules: reasons.map((reason) => {
      const entry = body.rules.find((each) => each.id === reason.rule);
      const rule = reason.lane === "live" ? entry?.live?.rule : entry?.candidate?.rule;
      const used = rule === undefined ? null : overrideFor(rule, known, inForce);
      const row = overrides.find(
        (each) =>
          each.state === "active" && each.rule === used?.rule && each.client === used.client,
      );
      const changed = row === undefined ? since.get(reason.rule) : sinceOverride(row);
      return { ...reason, since: reason.lane === "live" ? (changed ?? null) : null };
    }),
    ...read,
    unread: clientBuckets(body, known, inForce).unnamed,
    decisions: hits.map(decisionRow),
  };
}

/** Of those that are off nobody asks since when. */
function countingRules(reasons: readonly RuleReason[]): string[] {
  return reasons.filter(({ lane, mode }) => lane === "live" && mode !== "off").map((r) => r.rule);
}

function sinceOverride(row: ClientDetail["overrides"][number]) {
  const { id, createdAt: at, owner: by, planWords: before } = row;
  return { kind: "override" as const, id, at, by, before };
}

async function requestOf(reader: Reader, known: LoadedClient, request: string) {
  const hit = await hitsOfRequest(reader, known, request);
  if (hit !== null) return hit;
  throw new AppError(
    "not_found",
    `no hit of request ${request} by ${known.client} is in the log: it passed, or it is not in the sample`,
  );
}

async function overridesNow(ctx: Ctx, known: LoadedClient, { content }: LoadedVersion) {
  const nowMs = ctx.clock.nowMs();
  const stored = await ctx.db.override.findMany({
    where: {
      client: { in: subjectsOf(known) },
      endedAt: null,
      expiresAt: { gt: new Date(nowMs) },
    },
    orderBy: { expiresAt: "asc" },
  });
  return overrideRows(ctx.db, stored, { content, nowMs });
}

/** An unreachable Redis is said, never taken for full buckets. */
async function bucketsOf(
  ctx: Ctx,
  live: LoadedVersion,
  of: Parameters<typeof liveBuckets>[2],
): Promise<Pick<ClientDetail, "buckets" | "bucketsProblem">> {
  try {
    const buckets = await liveBuckets(ctx, live, of);
    return { buckets: shownBuckets(buckets), bucketsProblem: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    return { buckets: null, bucketsProblem: error.message };
  }
}
