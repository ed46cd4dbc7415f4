import type { ClientDetail } from "@/lib/core/api/clients";
import { hitSentence, type ToldHit } from "@/lib/core/client-answer";
import { ClientIdSchema } from "@/lib/core/client-id";
import { overrideFor } from "@/lib/core/client-reasons";
import type { KnownClient } from "@/lib/core/client-rules";
import { AmountSchema } from "@/lib/core/limit";
import { RuleSchema } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import { hitRow } from "./hit-row";
import { idOf, subjectsOf, toClientOverride } from "./known-client";

const HITS_SHOWN = 50;
/** Of a customer: the keys whose hits are looked for. */
const KEYS_MAX = 500;
const MINUTE_MS = 60_000;

type Stored = NonNullable<Awaited<ReturnType<Reader["hitSample"]["findFirst"]>>>;

/** The newest of the log, over all rules; of a customer, those of its keys. */
export async function clientHits(reader: Reader, known: KnownClient): Promise<Stored[]> {
  const client = { in: await clientsOf(reader, known) };
  return reader.hitSample.findMany({
    where: { client },
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: HITS_SHOWN,
  });
}

/** What refused one request: an enforced rule before one in shadow. */
export async function hitsOfRequest(
  reader: Reader,
  known: KnownClient,
  requestId: string,
): Promise<Stored | null> {
  const hits = await reader.hitSample.findMany({
    where: { requestId, client: { in: await clientsOf(reader, known) } },
    orderBy: [{ mode: "asc" }, { id: "asc" }],
  });
  return hits.find(({ mode }) => mode === "enforce") ?? hits[0] ?? null;
}

async function clientsOf(reader: Reader, { client }: KnownClient): Promise<string[]> {
  if (!client.startsWith("customer:")) return [client];
  const keys = await reader.apiKey.findMany({
    where: { customerId: idOf(client) },
    select: { id: true },
    orderBy: { createdAt: "desc" },
    take: KEYS_MAX,
  });
  return [client, ...keys.map(({ id }) => `key:${id}`)];
}

export function decisionRow(hit: Stored): ClientDetail["decisions"][number] {
  return { ...hitRow(hit), rule: hit.ruleId };
}

/** The sentence for a ticket, with the rule, the override and the counts as they were then. */
export async function sentenceOf(reader: Reader, hit: Stored, known: KnownClient): Promise<string> {
  const { at, ruleId, revision, client, mode } = hit;
  // Of a customer's hits, the key's own overrides come first.
  const sender: KnownClient = {
    client: ClientIdSchema.parse(client),
    customer: known.customer,
    plan: hit.plan,
  };
  const minuteStart = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
  const [stored, overrides, minute] = await Promise.all([
    reader.revision.findUnique({
      where: { kind_objectId_n: { kind: "rule", objectId: ruleId, n: revision } },
    }),
    reader.override.findMany({
      where: {
        client: { in: subjectsOf(sender) },
        ruleId,
        createdAt: { lte: at },
        expiresAt: { gt: at },
        OR: [{ endedAt: null }, { endedAt: { gt: at } }],
      },
    }),
    reader.clientMinute.aggregate({
      where: { ruleId, revision, mode, client, minute: minuteStart },
      _sum: { requests: true, rejections: true },
    }),
  ]);
  const rule = stored === null ? null : RuleSchema.parse(stored.body);
  const inForce = overrides.map(({ client, ruleId: rule, limit }) =>
    toClientOverride({ client, rule, limit: AmountSchema.parse(limit) }),
  );
  const told: ToldHit = {
    atMs: at.getTime(),
    ruleId,
    plan: hit.plan,
    method: hit.method,
    route: hit.route,
    mode: mode === "enforce" ? "enforce" : "shadow",
    retryAfterSeconds: hit.retryAfterSeconds,
    rule,
    override: rule === null ? null : overrideFor(rule, sender, inForce),
    minute: {
      requests: Number(minute._sum.requests ?? 0),
      rejections: Number(minute._sum.rejections ?? 0),
    },
  };
  return hitSentence(told);
}
