import type { VersionKind } from "@/lib/core/api/versions";
import type { Guardrail } from "@/lib/core/guardrail";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import type { EvidenceMode } from "./evidence-gaps";

/** What a verb wants to become the live version. */
export type CommitPlan = {
  kind: VersionKind;
  message: string;
  content: Content;
  /** The version whose content this one brings back. */
  restores?: number;
  evidence: EvidenceMode;
  /** Whether a radius above the bounds was confirmed; nothing asks where evidence is exempt. */
  radius?: "required" | "acknowledged";
  /** May be what is live already: a higher epoch over the same content. */
  allowSame?: true;
  /** What watches what becomes enforced or stricter: null: nothing; left out: what the settings say. */
  guardrail?: Guardrail | null | undefined;
  /** A guardrail's own way back, which nothing watches. */
  isUndo?: true;
  audit: {
    action: string;
    kind: string;
    objectId: string;
    /** Completes "<actor> …". */
    did: string;
    reason?: string | undefined;
    before?: unknown;
    after?: unknown;
    details?: Record<string, unknown>;
  };
  /** Whose draft it is, if any: an approval holds only while that is as it was. */
  draft?: string;
  /** A second person looked at it: it is what was asked for. */
  approved?: true;
  /** More that belongs into the same transaction. */
  also?: (tx: Tx) => Promise<unknown>;
};
