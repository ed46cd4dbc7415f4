import { z } from "zod";
import {
  EvidenceProblemSchema,
  RadiusProblemSchema,
  StaleProblemSchema,
} from "@/lib/core/api/publish";
import { output } from "./schema-names";

/** The 409 of whatever makes a version. */
export const commitConflict = {
  description:
    "`reason: stale`: another version is live than the one named. `reason: evidence`: what becomes enforced or stricter lacks evidence; `acknowledgeGaps: true` goes on without it, audited. `reason: radius`: it would hit more than the setting confirmAbove says; `acknowledgeRadius: true` goes on, audited.",
  schema: output(
    "CommitProblem",
    z.union([StaleProblemSchema, EvidenceProblemSchema, RadiusProblemSchema]),
  ),
};
