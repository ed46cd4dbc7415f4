import type { ClientDetail } from "@/lib/core/api/clients";
import type { KnownClient } from "@/lib/core/client-rules";
import { amountFor, isShedder } from "@/lib/core/limit";
import { limitWords, shedderWords } from "@/lib/core/limit-words";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import { liveRuns } from "@/lib/db/rule-history";

/** A limit that is older than so many revisions of its rule is as old as the oldest of these. */
const RUNS_MAX = 50;

type Since = NonNullable<ClientDetail["rules"][number]["since"]>;

/** For each rule, the version that last changed what it gives this client's plan. */
export async function limitsSince(
  reader: Reader,
  ruleIds: readonly string[],
  known: KnownClient,
): Promise<Map<string, Since>> {
  const runs = await liveRuns(reader, ruleIds, RUNS_MAX);
  const rules = await revisionsOf(reader, runs);
  const since = new Map<string, Since>();
  for (const ruleId of new Set(ruleIds)) {
    const own = runs.filter(({ id }) => id === ruleId);
    const words = own.map(({ revision }) => wordsFor(rules.get(`${ruleId} ${revision}`), known));
    const changed = words.findIndex((text, i) => text !== words[i + 1]);
    const run = own[changed];
    if (run === undefined) continue;
    since.set(ruleId, {
      kind: "version",
      id: String(run.since),
      at: run.at.toISOString(),
      by: run.actor.name,
      before: words[changed + 1] ?? "",
    });
  }
  return since;
}

async function revisionsOf(
  reader: Reader,
  runs: readonly { id: string; revision: number }[],
): Promise<Map<string, Rule>> {
  if (runs.length === 0) return new Map();
  const rows = await reader.revision.findMany({
    where: { kind: "rule", OR: runs.map(({ id, revision }) => ({ objectId: id, n: revision })) },
    select: { objectId: true, n: true, body: true },
  });
  return new Map(rows.map(({ objectId, n, body }) => [`${objectId} ${n}`, RuleSchema.parse(body)]));
}

/** `60 per 1m, enforce`: what the client can tell one revision from another by. */
function wordsFor(rule: Rule | undefined, { plan }: KnownClient): string {
  if (rule === undefined) return "";
  const { limit, mode, match } = rule;
  if (match.plans !== undefined && !match.plans.includes(plan)) return `not for plan ${plan}`;
  if (isShedder(limit)) return `${shedderWords(limit)}, ${mode}`;
  const amount = amountFor(limit, plan);
  return `${amount === null ? "no limit" : limitWords(limit, amount)}, ${mode}`;
}
