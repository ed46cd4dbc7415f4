import type { Tx } from "@/lib/db/client";
import type { Enforcement } from "@/lib/db/generated/client";
import { jsonColumn } from "@/lib/db/json";
import { databaseNow } from "@/lib/db/now";
import { JudgementSchema } from "./enforcement-columns";
import { countEnforced } from "./enforcement-counts";

/** What to set so that a change is judged only by what is counted from now on. Its actual figures go on. */
export async function watchAnew(tx: Tx, { ruleId, revisions, since, judgement }: Enforcement) {
  const counted = await countEnforced(tx, { ruleId, revisions, sinceMs: since.getTime() });
  const now = await databaseNow(tx);
  const { requests, rejections } = counted;
  const last = judgement === null ? null : JudgementSchema.parse(judgement);
  return {
    state: "watching",
    stateAt: now,
    heldFor: null,
    outcome: null,
    watchedBase: jsonColumn(counted),
    looks: jsonColumn([{ atMs: now.getTime(), requests, rejections }]),
    lookedAt: now,
    watchedMs: 0,
    ...(last !== null && {
      judgement: jsonColumn({
        ...last,
        at: now.toISOString(),
        verdict: "waiting",
        why: ["watched anew"],
        crossedSince: null,
        rejectionsByPlan: [],
        window: { seconds: 0, requests: 0, rejections: 0 },
      }),
    }),
  };
}
