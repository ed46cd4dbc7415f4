import {
  CandidatePreviewSchema,
  CandidateReportQuerySchema,
  CandidateReportSchema,
  CandidateRequestSchema,
  DropCandidateQuerySchema,
  PromoteRequestSchema,
  ShareRequestSchema,
} from "@/lib/core/api/candidate";
import { ChangeRequestedSchema, PublishedSchema } from "@/lib/core/api/publish";
import {
  RampCancelQuerySchema,
  RampReasonSchema,
  RampRequestSchema,
  RampResumeRequestSchema,
  RampSchema,
} from "@/lib/core/api/ramps";
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
  "/rules/{id}/candidate/preview": {
    GET: {
      summary: "What more share of a candidate, or promoting it, would ask for",
      tag: "Rules",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("CandidatePreview", CandidatePreviewSchema),
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
  "/rules/{id}/ramp": {
    GET: {
      summary: "A rule's ramp",
      description: "The one that is open, else the last one.",
      tag: "Rules",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("Ramp", RampSchema),
      isNotFoundPossible: true,
    },
    POST: {
      summary: "Let the share of a rule's candidate rise by a schedule",
      description:
        "The first step is taken at once, each later one when it is due: a version of its own, for which evidence and the caller's rights are judged as at any publish, and which the guardrail may hold. It stops, with an alert, when anybody changes the rule, its candidate or its share.",
      tag: "Rules",
      scope: "publish",
      params: idParams,
      body: input("RampRequest", RampRequestSchema),
      status: 201,
      answer: output("Ramp", RampSchema),
      conflict: {
        description: `${commitConflict.description} \`reason: ramp\`: the rule has an open ramp. \`reason: approval-required\`: here a second person approves each step.`,
      },
      isNotFoundPossible: true,
    },
    DELETE: {
      summary: "End a ramp",
      description: "The share stays as it is.",
      tag: "Rules",
      scope: "relax",
      params: idParams,
      query: RampCancelQuerySchema,
      status: 200,
      answer: output("Ramp", RampSchema),
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/ramp/pause": {
    POST: {
      summary: "Pause a ramp",
      tag: "Rules",
      scope: "relax",
      params: idParams,
      body: input("RampPause", RampReasonSchema),
      status: 200,
      answer: output("Ramp", RampSchema),
      conflict: { description: "It is paused already." },
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/ramp/resume": {
    POST: {
      summary: "Let a paused ramp go on",
      description: "Later steps are taken with the caller's rights.",
      tag: "Rules",
      scope: "publish",
      params: idParams,
      body: input("RampResume", RampResumeRequestSchema),
      status: 200,
      answer: output("Ramp", RampSchema),
      conflict: { description: "It goes on already, or the rule was changed since." },
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
