import { z } from "zod";
import { AlertListQuerySchema, AlertListSchema, AlertRowSchema } from "@/lib/core/api/alerts";
import { AuditExportQuerySchema, AuditListSchema, AuditQuerySchema } from "@/lib/core/api/audit";
import { PageQuerySchema } from "@/lib/core/api/common";
import { DiagnosisSchema } from "@/lib/core/api/diagnosis";
import { DirectoryAnswerSchema, DirectoryQuerySchema } from "@/lib/core/api/directory";
import {
  DismissRequestSchema,
  GatewayListSchema,
  GatewayReportResultSchema,
  GatewayReportSchema,
  GatewayRowSchema,
} from "@/lib/core/api/gateways";
import { HealthSchema } from "@/lib/core/api/health";
import { KeyImportAnswerSchema, KeyImportRequestSchema } from "@/lib/core/api/key-import";
import {
  KeyCreatedSchema,
  KeyCreateRequestSchema,
  KeyExportQuerySchema,
  KeyListQuerySchema,
  KeyListSchema,
  KeyPatchRequestSchema,
  KeyRotatedSchema,
  KeyRotateRequestSchema,
  KeyRowSchema,
} from "@/lib/core/api/keys";
import {
  OverrideListQuerySchema,
  OverrideListSchema,
  OverrideRowSchema,
  OverrideWriteSchema,
} from "@/lib/core/api/overrides";
import {
  PublishedSchema,
  StaleProblemSchema,
  VersionRollbackRequestSchema,
} from "@/lib/core/api/publish";
import {
  StopEndRequestSchema,
  StopListQuerySchema,
  StopListSchema,
  StopMadeSchema,
  StopRequestSchema,
  StopSchema,
} from "@/lib/core/api/stops";
import {
  ConvergenceSchema,
  OverrideRestoreSchema,
  VersionDetailSchema,
  VersionDiffSchema,
  VersionListSchema,
} from "@/lib/core/api/versions";
import { idParams, type PathTable, versionParam } from "./operation";
import { input, output } from "./schema-names";

const versionParams = z.object({ n: versionParam("n") });

/** Versions, gateways and what they load, keys, audit, alerts, and the API itself. */
export const FLEET_ROUTES = {
  "/versions": {
    GET: {
      summary: "List versions, newest first",
      tag: "Versions",
      scope: "read",
      query: PageQuerySchema,
      status: 200,
      answer: output("VersionList", VersionListSchema),
    },
  },
  "/versions/{n}": {
    GET: {
      summary: "One version, with its content and what it changed",
      tag: "Versions",
      scope: "read",
      params: versionParams,
      status: 200,
      answer: output("VersionDetail", VersionDetailSchema),
      isNotFoundPossible: true,
    },
  },
  "/versions/{n}/diff/{b}": {
    GET: {
      summary: "What version b has that version n has not",
      tag: "Versions",
      scope: "read",
      params: z.object({ n: versionParam("n"), b: versionParam("b") }),
      status: 200,
      answer: output("VersionDiff", VersionDiffSchema),
      isNotFoundPossible: true,
    },
  },
  "/versions/{n}/convergence": {
    GET: {
      summary: "Which gateways applied a version, and when",
      description:
        "With `Accept: text/event-stream` it is followed until every live gateway has it and none is silent.",
      events:
        "Server-Sent Events: `state` with this JSON at each change of it (`Last-Event-ID` resumes), `beat` every few seconds, `trouble` while it cannot be read, `end` with a `reason`.",
      tag: "Versions",
      scope: "read",
      params: versionParams,
      status: 200,
      answer: output("Convergence", ConvergenceSchema),
      isNotFoundPossible: true,
    },
  },
  "/versions/{n}/overrides": {
    GET: {
      summary: "What restoring a version's overrides would change",
      description:
        "As they were when it was last in force; one that has expired since is not revived. A rollback does it with `restoreOverrides`.",
      tag: "Versions",
      scope: "read",
      params: versionParams,
      status: 200,
      answer: output("OverrideRestore", OverrideRestoreSchema),
      isNotFoundPossible: true,
    },
  },
  "/versions/{n}/rollback": {
    POST: {
      summary: "Bring back a version's content",
      description: "A new version with a higher number; never asks for evidence.",
      tag: "Versions",
      scope: "rollback",
      params: versionParams,
      body: input("VersionRollbackRequest", VersionRollbackRequestSchema),
      isBodyOptional: true,
      status: 201,
      answer: output("Published", PublishedSchema),
      conflict: {
        description: "Another version is live than `expectVersion`.",
        schema: output("StaleProblem", StaleProblemSchema),
      },
      isNotFoundPossible: true,
    },
  },
  "/stops": {
    GET: {
      summary: "Stops of enforcement in force, newest first",
      description: "`all=true` lists those that have ended, too.",
      tag: "Rules",
      scope: "read",
      query: StopListQuerySchema,
      status: 200,
      answer: output("StopList", StopListSchema),
    },
    POST: {
      summary: "Stop enforcing some rules, or all, for a time",
      description:
        "Enforced rules become shadow in one version; the worker enforces them again when the time is over. Rules that somebody changes meanwhile stay as they are.",
      tag: "Rules",
      scope: "relax",
      body: input("StopRequest", StopRequestSchema),
      status: 201,
      answer: output("StopMade", StopMadeSchema),
      conflict: {
        description: "Nothing of it is enforced, or another version is live than `expectVersion`.",
      },
      isNotFoundPossible: true,
    },
  },
  "/stops/{id}/end": {
    POST: {
      summary: "Enforce again what a stop set to shadow",
      tag: "Rules",
      scope: "rollback",
      params: idParams,
      body: input("StopEndRequest", StopEndRequestSchema),
      isBodyOptional: true,
      status: 200,
      answer: output("Stop", StopSchema),
      isNotFoundPossible: true,
    },
  },
  "/gateways": {
    GET: {
      summary: "List gateways and what each runs",
      tag: "Fleet",
      scope: "read",
      status: 200,
      answer: output("GatewayList", GatewayListSchema),
    },
  },
  "/gateways/{id}/report": {
    POST: {
      summary: "A gateway's heartbeat, alerts and counts, when Redis cannot carry them",
      tag: "Fleet",
      scope: "gateway",
      params: idParams,
      body: input("GatewayReport", GatewayReportSchema),
      maxBytes: 16_777_216,
      status: 200,
      answer: output("GatewayReportResult", GatewayReportResultSchema),
    },
  },
  "/gateways/{id}/dismiss": {
    POST: {
      summary: "Stop waiting for a gateway that will not come back",
      tag: "Fleet",
      scope: "operate",
      params: idParams,
      body: input("DismissRequest", DismissRequestSchema),
      isBodyOptional: true,
      status: 200,
      answer: output("GatewayRow", GatewayRowSchema),
      conflict: { description: "The gateway is live." },
      isNotFoundPossible: true,
    },
  },
  "/snapshot": {
    GET: {
      summary: "The live version's signed document",
      description:
        "One line of JSON (the envelope), then the body's bytes. Send If-None-Match to be told of no change.",
      tag: "Fleet",
      scope: "gateway",
      status: 200,
      media: {
        type: "application/vnd.headgate.snapshot",
        description: "Envelope line, \\n, body. ETag changes with every byte; 304 when it did not.",
      },
    },
  },
  "/directory": {
    GET: {
      summary: "Who is who: what changed since, or that the base is to be loaded",
      tag: "Fleet",
      scope: "gateway",
      query: DirectoryQuerySchema,
      status: 200,
      answer: output("DirectoryAnswer", DirectoryAnswerSchema),
    },
  },
  "/directory/base": {
    GET: {
      summary: "The whole directory",
      description:
        "A line of JSON, then a line a customer, key and override, then a line with their checksum.",
      tag: "Fleet",
      scope: "gateway",
      status: 200,
      media: {
        type: "application/vnd.headgate.directory",
        description: "Head, lines, end; a body without its end broke off.",
      },
    },
  },
  "/keys": {
    GET: {
      summary: "List API keys",
      tag: "Keys",
      scope: "read",
      query: KeyListQuerySchema,
      status: 200,
      answer: output("KeyList", KeyListSchema),
    },
    POST: {
      summary: "Make an API key",
      description: "The key itself is in this answer only.",
      tag: "Keys",
      scope: "keys",
      body: input("KeyCreateRequest", KeyCreateRequestSchema),
      status: 201,
      secrets: ["key"],
      answer: output("KeyCreated", KeyCreatedSchema.partial({ key: true })),
      conflict: { description: "The customer is known and has another plan." },
    },
  },
  "/keys/import": {
    POST: {
      summary: "Take a piece of a list of keys",
      description:
        "Up to 1,000 lines with a key (hashed on arrival, never stored), its keyed hash, or the id of a known one. Each line is answered for; what is wrong refuses its line alone. Sending the same again changes nothing.",
      tag: "Keys",
      scope: "keys",
      body: input("KeyImportRequest", KeyImportRequestSchema),
      maxBytes: 8_388_608,
      status: 200,
      answer: output("KeyImportAnswer", KeyImportAnswerSchema),
    },
  },
  "/keys/export": {
    GET: {
      summary: "All keys that fit, as CSV that an import takes",
      description:
        "Without pages, however many, and without secrets. A cell that a spreadsheet would run begins with an apostrophe.",
      tag: "Keys",
      scope: "read",
      query: KeyExportQuerySchema,
      status: 200,
      media: { type: "text/csv", description: "The keys, newest first." },
    },
  },
  "/keys/{id}/rotate": {
    POST: {
      summary: "Give a key a new text",
      description:
        "The key itself is in this answer only. Client id, counters and overrides stay; the old text works for `graceHours` more, 0: not at all.",
      tag: "Keys",
      scope: "keys",
      params: idParams,
      body: input("KeyRotateRequest", KeyRotateRequestSchema),
      status: 201,
      secrets: ["key"],
      answer: output("KeyRotated", KeyRotatedSchema.partial({ key: true })),
      isNotFoundPossible: true,
      conflict: { description: "The key was revoked, or has many texts that still work." },
    },
  },
  "/keys/{id}": {
    GET: {
      summary: "One key, a revoked one, too",
      tag: "Keys",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("KeyRow", KeyRowSchema),
      isNotFoundPossible: true,
    },
    PATCH: {
      summary: "Rename a key, or move its customer to another plan",
      tag: "Keys",
      scope: "keys",
      params: idParams,
      body: input("KeyPatchRequest", KeyPatchRequestSchema),
      status: 200,
      answer: output("KeyRow", KeyRowSchema),
      isNotFoundPossible: true,
      conflict: { description: "The key was revoked." },
    },
    DELETE: {
      summary: "Revoke a key",
      tag: "Keys",
      scope: "keys",
      params: idParams,
      status: 200,
      answer: output("KeyRow", KeyRowSchema),
      isNotFoundPossible: true,
    },
  },
  "/overrides": {
    GET: {
      summary: "List overrides, the soonest to expire first",
      description: "Those that have not ended; `show=all` lists the others, too.",
      tag: "Overrides",
      scope: "read",
      query: OverrideListQuerySchema,
      status: 200,
      answer: output("OverrideList", OverrideListSchema),
    },
  },
  "/overrides/{id}": {
    GET: {
      summary: "One override",
      description: "`ignored`: it has not ended, and gateways pass it over; `why` says the reason.",
      tag: "Overrides",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("OverrideRow", OverrideRowSchema),
      isNotFoundPossible: true,
    },
    PUT: {
      summary: "Give a key, a customer or an address a limit of its own",
      description:
        "Beats the plan's until it expires: a key's, else its customer's, else its address's. The amount is of the form that the rule's kind takes. Without scope keys it may only raise a limit, for at most 24 hours.",
      tag: "Overrides",
      scope: "raise",
      params: idParams,
      body: input("OverrideWrite", OverrideWriteSchema),
      status: 200,
      answer: output("OverrideRow", OverrideRowSchema),
      conflict: { description: "It has ended, or the client has another one of this rule." },
    },
    DELETE: {
      summary: "End an override",
      tag: "Overrides",
      scope: "keys",
      params: idParams,
      status: 200,
      answer: output("OverrideRow", OverrideRowSchema),
      isNotFoundPossible: true,
    },
  },
  "/audit": {
    GET: {
      summary: "Who changed what, newest first",
      tag: "Log",
      scope: "read",
      query: AuditQuerySchema,
      status: 200,
      answer: output("AuditList", AuditListSchema),
    },
  },
  "/audit/export": {
    GET: {
      summary: "All audit rows that fit, as CSV or JSON",
      description:
        "Without pages, however many. In CSV a cell that a spreadsheet would run begins with an apostrophe; JSON is as it was written.",
      tag: "Log",
      scope: "read",
      query: AuditExportQuerySchema,
      status: 200,
      media: { type: "text/csv", description: "The rows, newest first." },
    },
  },
  "/alerts": {
    GET: {
      summary: "List alerts, open ones first",
      tag: "Log",
      scope: "read",
      query: AlertListQuerySchema,
      status: 200,
      answer: output("AlertList", AlertListSchema),
    },
  },
  "/alerts/{id}/acknowledge": {
    POST: {
      summary: "Say that somebody looks after an alert",
      tag: "Log",
      scope: "operate",
      params: idParams,
      status: 200,
      answer: output("AlertRow", AlertRowSchema),
      isNotFoundPossible: true,
    },
  },
  "/health": {
    GET: {
      summary: "Whether Postgres and a version are there",
      tag: "System",
      scope: "none",
      status: 200,
      answer: output("Health", HealthSchema),
      alsoStatus: {
        status: 503,
        description: "Postgres does not answer, or there is no version yet.",
      },
    },
  },
  "/diagnosis": {
    GET: {
      summary: "What the console finds when it looks at its servers, workers and gateways",
      tag: "System",
      scope: "read",
      status: 200,
      answer: output("Diagnosis", DiagnosisSchema),
    },
  },
  "/openapi.json": {
    GET: {
      summary: "This document",
      tag: "System",
      scope: "none",
      status: 200,
      answer: output("OpenApi", z.looseObject({ openapi: z.string() })),
    },
  },
} as const satisfies PathTable;
