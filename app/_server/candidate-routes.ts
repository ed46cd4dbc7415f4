import {
  CandidateReportQuerySchema,
  CandidateReportSchema,
  CandidateRequestSchema,
  DropCandidateQuerySchema,
  PromoteRequestSchema,
  ShareRequestSchema,
} from "@/lib/core/api/candidate";
import { ChangeRequestedSchema, PublishedSchema } from "@/lib/core/api/publish";
import { commitConflict } from "./commit-conflict";
import { idParams, type PathTable } from "./operation";
import { input, output } from "./schema-names";

/** What runs beside a rule's live revision. */
export const CANDIDATE_ROUTES = {
  "/rules/{id}/candidate": {
    PUT: {
      summary: "Try a revision in shadow beside the live one",
      description: "One click: a version of its own. What is live goes on.",
      tag: "Rules",
      scope: "publish",
      body: input("CandidateRequest", CandidateRequestSchema),
      params: idParams,
      status: 201,
      accepted: output("ChangeRequested", ChangeRequestedSchema),
      answer: output("Published", PublishedSchema),
      conflict: commitConflict,
      isNotFoundPossible: true,
    },
    DELETE: {
      summary: "Drop a rule's candidate",
      description: "A new version; never asks for evidence.",
      tag: "Rules",
      scope: "relax",
      query: DropCandidateQuerySchema,
      params: idParams,
      status: 200,
      answer: output("Published", PublishedSchema),
      conflict: commitConflict,
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/candidate/report": {
    GET: {
      summary: "What a candidate would refuse newly, and what it would let pass",
      description:
        "Of the clients that meet the live revision, since the candidate is tried. Those of its share meet only the candidate: `enforced`.",
      tag: "Rules",
      scope: "read",
      params: idParams,
      query: CandidateReportQuerySchema,
      status: 200,
      answer: output("CandidateReport", CandidateReportSchema),
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/candidate/share": {
    POST: {
      summary: "Enforce a rule's candidate for a share of clients",
      description: "A percentage, or one for each plan. For less, scope relax is enough.",
      tag: "Rules",
      scope: "relax",
      body: input("ShareRequest", ShareRequestSchema),
      params: idParams,
      status: 201,
      accepted: output("ChangeRequested", ChangeRequestedSchema),
      answer: output("Published", PublishedSchema),
      conflict: commitConflict,
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/candidate/promote": {
    POST: {
      summary: "Make a rule's candidate its live revision",
      description: "Its counters go on.",
      tag: "Rules",
      scope: "publish",
      body: input("PromoteRequest", PromoteRequestSchema),
      params: idParams,
      status: 201,
      accepted: output("ChangeRequested", ChangeRequestedSchema),
      answer: output("Published", PublishedSchema),
      conflict: commitConflict,
      isNotFoundPossible: true,
    },
  },
} as const satisfies PathTable;
