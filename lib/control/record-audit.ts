import type { Tx } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { type Actor, actorName } from "./context";

type Entry = {
  /** `rule.mode`, `version.publish`, `key.create` */
  action: string;
  kind: string;
  objectId: string;
  /** For people, with the actor's name: `Dana set rule per-key-rate to enforce`. */
  sentence: string;
  reason?: string | undefined;
  version?: number;
  before?: unknown;
  after?: unknown;
  details?: Record<string, unknown>;
};

/** In the transaction of what it tells of, so that neither is there without the other. */
export async function recordAudit(tx: Tx, actor: Actor, entry: Entry): Promise<void> {
  const { before, after, reason, version } = entry;
  await tx.audit.create({
    data: {
      actor: actorName(actor),
      actorId: `${actor.type}:${actor.id}`,
      action: entry.action,
      kind: entry.kind,
      objectId: entry.objectId,
      sentence: entry.sentence,
      reason: reason ?? "",
      version: version ?? null,
      ...(before === undefined || before === null ? {} : { before: jsonColumn(before) }),
      ...(after === undefined || after === null ? {} : { after: jsonColumn(after) }),
      details: jsonColumn(entry.details ?? {}),
    },
  });
}
