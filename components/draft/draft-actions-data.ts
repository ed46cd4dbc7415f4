import type { RollbackVersion } from "@/components/rules/published-version";
import type { RevertItem } from "@/components/rules/restore-deleted";
import type { Action } from "@/components/ui/action-result";
import type { FieldDiff, ObjectKind } from "@/lib/core/api/change";
import type { Published } from "@/lib/core/api/publish";
import type { Schedule } from "@/lib/core/api/schedules";
import type { Guardrail } from "@/lib/core/guardrail";

export type DraftObject = { kind: ObjectKind; id: string };

/** The server actions of the review page. */
export type DraftActions = {
  publish: Action<
    {
      message: string;
      baseVersion: number;
      acknowledgeGaps?: boolean;
      acknowledgeRadius?: boolean;
      guardrail?: Guardrail | null;
      reviewed: Record<string, number>;
    },
    Published
  >;
  schedule: Action<
    {
      message: string;
      baseVersion: number;
      publishAt: string;
      acknowledgeGaps?: boolean;
      acknowledgeRadius?: boolean;
      guardrail?: Guardrail | null;
      reviewed: Record<string, number>;
    },
    Schedule
  >;
  rebase: Action<
    { seenVersion: number; takeTheirs: DraftObject[]; takeBoth: DraftObject[] },
    { conflicts: DraftObject[] }
  >;
  discard: Action<Record<string, never>, null>;
  revert: RevertItem;
  rollbackVersion: RollbackVersion;
};

/** One object that the draft changes and that somebody else changed since its base. */
export type DraftConflict = DraftObject & {
  name: string;
  /** What they did to it: null diff when they deleted it. */
  theirs: { sentence: string; diff: FieldDiff[] };
  mine: { sentence: string; diff: FieldDiff[] };
  /** No field was changed by both, so both changes can be kept. */
  canBoth: boolean;
};

export type PublishedSince = {
  version: number;
  message: string;
  actor: string;
  at: string;
};

/** As text that names the object among all. */
export function draftObjectKey({ kind, id }: DraftObject): string {
  return `${kind}-${id}`;
}
