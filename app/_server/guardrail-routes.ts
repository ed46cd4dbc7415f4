import {
  EnforcementBoundsRequestSchema,
  EnforcementEndRequestSchema,
  EnforcementSchema,
} from "@/lib/core/api/enforcement";
import { idParams, type PathTable } from "./operation";
import { input, output } from "./schema-names";

const answer = output("Enforcement", EnforcementSchema);

/** How what was enforced fares, and what watches it. */
export const GUARDRAIL_ROUTES = {
  "/rules/{id}/enforcement": {
    GET: {
      summary: "How the last change that made a rule enforced or stricter fares",
      description:
        "What shadow foretold beside what was counted since, the guardrail's bounds and its last look.",
      tag: "Rules",
      scope: "read",
      params: idParams,
      status: 200,
      answer,
      isNotFoundPossible: true,
    },
    PUT: {
      summary: "Watch it by other bounds",
      description:
        "It is watched anew from now on, also what was held, has passed or was unwatched.",
      tag: "Rules",
      scope: "publish",
      params: idParams,
      body: input("EnforcementBoundsRequest", EnforcementBoundsRequestSchema),
      status: 200,
      answer,
      isNotFoundPossible: true,
      conflict: { description: "Nothing of the rule's last change is enforced any more." },
    },
  },
  "/rules/{id}/enforcement/end": {
    POST: {
      summary: "End the watch: the change stays",
      tag: "Rules",
      scope: "publish",
      params: idParams,
      body: input("EnforcementEndRequest", EnforcementEndRequestSchema),
      status: 200,
      answer,
      isNotFoundPossible: true,
      conflict: { description: "It is not watched now." },
    },
  },
} as const satisfies PathTable;
