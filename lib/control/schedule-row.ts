import { z } from "zod";
import { ObjectKindSchema } from "@/lib/core/api/change";
import { SCHEDULE_STATES, type Schedule } from "@/lib/core/api/schedules";
import { isRemovable } from "@/lib/core/ruleset-objects";
import type { ScheduledPublish } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";
import type { DraftEdit } from "./draft-edits";
import { parseObject } from "./parse-object";

const FrozenSchema = z.array(
  z.object({
    kind: ObjectKindSchema,
    id: z.string(),
    op: z.enum(["put", "delete"]),
    body: z.unknown(),
  }),
);
const StateSchema = z.enum(SCHEDULE_STATES);

export function scheduleRow(row: ScheduledPublish, currentVersion: number): Schedule {
  const isStale = row.state === "waiting" && row.baseVersion !== currentVersion;
  return {
    id: row.id,
    actor: actorColumn(row.actor),
    message: row.message,
    publishAt: row.publishAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    baseVersion: row.baseVersion,
    acknowledgeGaps: row.acknowledgeGaps,
    acknowledgeRadius: row.acknowledgeRadius,
    changes: FrozenSchema.parse(row.edits).map(({ kind, id, op }) => ({ kind, id, op })),
    state: StateSchema.parse(row.state),
    doneAt: row.doneAt?.toISOString() ?? null,
    version: row.version,
    outcome: isStale
      ? `version ${currentVersion} is live, this is based on version ${row.baseVersion}: it will be refused unless it is taken back and rebased`
      : row.outcome,
  };
}

/** Names the trouble with one schedule among alerts. */
export function scheduleSubject(id: string): string {
  return `schedule ${id}`;
}

/** What a schedule keeps of each edit. */
export function frozen(edit: DraftEdit): z.input<typeof FrozenSchema>[number] {
  const { kind, id, op } = edit;
  return { kind, id, op, body: edit.op === "put" ? edit.object.body : null };
}

/** The frozen edits, checked again: they may be older than this build. */
export function frozenEdits(row: Pick<ScheduledPublish, "edits">): DraftEdit[] {
  return FrozenSchema.parse(row.edits).map(({ kind, id, op, body }): DraftEdit => {
    if (op === "delete" && isRemovable(kind)) return { op, kind, id };
    return { op: "put", kind, id, object: parseObject({ kind, id, body }) };
  });
}
