import type { Redis } from "ioredis";
import { z } from "zod";

export const SLOTS = 16_384;

export type SlotRange = { first: number; last: number; host: string; port: number };
/** Replicas too: when every primary is gone they may know who is next. */
export type SlotMap = { ranges: SlotRange[]; others: { host: string; port: number }[] };

const slot = z
  .int()
  .min(0)
  .max(SLOTS - 1);
const node = z.tuple([z.string().nullable(), z.int()]).rest(z.unknown());
/** CLUSTER SLOTS: first, last, the primary, its replicas. */
const reply = z.array(z.tuple([slot, slot, node]).rest(node));

/** Who owns which slots, as one node sees it; throws when it does not say within the time. */
export async function readSlots(redis: Redis, host: string, timeoutMs: number): Promise<SlotMap> {
  const answer = reply.parse(await within(redis.cluster("SLOTS"), timeoutMs));
  const placed = ([named, port]: z.output<typeof node>) => ({
    // A node that does not know its own address leaves it out: it is where it was asked.
    host: named === null || named === "" || named === "?" ? host : named,
    port,
  });
  const ranges = answer
    .map(([first, last, primary]) => ({ first, last, ...placed(primary) }))
    .sort((a, b) => a.first - b.first);
  const others = answer.flatMap(([, , , ...replicas]) => replicas.map(placed));
  return { ranges, others };
}

/** A primary that is cut off from the others goes on saying what was; of equally many, others from turn to turn. */
export function mostCommon(views: readonly (SlotMap | null)[], turn: number): SlotMap | null {
  const counts = new Map<string, { view: SlotMap; count: number }>();
  for (let i = 0; i < views.length; i += 1) {
    const view = views[(turn + i) % views.length];
    if (view === null || view === undefined) continue;
    const text = JSON.stringify(view.ranges);
    const known = counts.get(text);
    counts.set(text, { view, count: (known?.count ?? 0) + 1 });
  }
  let best: { view: SlotMap; count: number } | null = null;
  for (const each of counts.values()) if (best === null || each.count > best.count) best = each;
  return best?.view ?? null;
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
