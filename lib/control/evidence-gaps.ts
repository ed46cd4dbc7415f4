import type { MissingEvidence } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import type { Ctx } from "./context";
import type { LoadedVersion } from "./live-version";
import { missingEvidence } from "./missing-evidence";

/** required: 409 where it is missing. acknowledged: goes through, audited. exempt: rollback, the first start. */
export type EvidenceMode = "required" | "acknowledged" | "exempt";

type Change = { live: LoadedVersion | null; content: Content; evidence: EvidenceMode };

/** What was acknowledged to be missing. Throws `conflict` where it is required. */
export async function evidenceGaps(
  ctx: Ctx,
  tx: Tx,
  { live, content, evidence }: Change,
): Promise<MissingEvidence[]> {
  if (live === null || evidence === "exempt") return [];
  const missing = await missingEvidence(ctx, tx, { live, content });
  if (missing.length === 0 || evidence === "acknowledged") return missing;
  const rules = missing.map(({ rule }) => rule).join(", ");
  throw new AppError(
    "conflict",
    `evidence is missing for ${rules}: wait for the shadow report, or acknowledge the gaps`,
    { details: { reason: "evidence", current: live.version, evidence: missing } },
  );
}
