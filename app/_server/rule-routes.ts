import { z } from "zod";
import {
  DraftObjectSchema,
  DraftSchema,
  DraftWriteQuerySchema,
  DraftWriteResultSchema,
} from "@/lib/core/api/draft";
import {
  DraftContentResultSchema,
  DraftContentSchema,
  DraftContentWriteSchema,
} from "@/lib/core/api/draft-content";
import { EnforcePreviewSchema } from "@/lib/core/api/enforce-preview";
import { HitListSchema, HitsQuerySchema } from "@/lib/core/api/hits";
import { ListsDetailSchema } from "@/lib/core/api/lists";
import { PlanListSchema } from "@/lib/core/api/plans";
import {
  ChangeRequestedSchema,
  ConflictSchema,
  ModeRequestSchema,
  PublishedSchema,
  PublishRequestSchema,
  RuleRollbackRequestSchema,
} from "@/lib/core/api/publish";
import { ReportQuerySchema, ReportSchema } from "@/lib/core/api/report";
import { HitsExportQuerySchema, ReportExportQuerySchema } from "@/lib/core/api/report-export";
import { RuleDetailSchema, RuleListQuerySchema, RuleListSchema } from "@/lib/core/api/rules";
import {
  ScheduleCancelledSchema,
  ScheduleListQuerySchema,
  ScheduleListSchema,
  ScheduleRequestSchema,
  ScheduleSchema,
} from "@/lib/core/api/schedules";
import { CandidateFieldsSchema } from "@/lib/core/candidate";
import { ListsSchema } from "@/lib/core/list-entry";
import { PlanSchema } from "@/lib/core/plan";
import { RuleFieldsSchema } from "@/lib/core/rule";
import { SettingsSchema } from "@/lib/core/ruleset";
import { commitConflict } from "./commit-conflict";
import { idParams, type Operation, type PathTable } from "./operation";
import { RoutesBodySchema } from "./routes-body";
import { input, output } from "./schema-names";

const draftWrite = {
  tag: "Draft",
  scope: "draft",
  query: DraftWriteQuerySchema,
  status: 200,
  answer: output("DraftWriteResult", DraftWriteResultSchema),
  hasPrecondition: true,
  conflict: {
    description:
      "`edit` was given and the object was saved since, `baseVersion` and it was published otherwise since, or a plan to remove is in use.",
  },
} as const satisfies Partial<Operation>;

const draftRead = {
  tag: "Draft",
  scope: "read",
  status: 200,
  description:
    "As the draft has it, else as its base has it. Send the ETag back as If-Match to save it.",
  answer: output("DraftObject", DraftObjectSchema),
  isNotFoundPossible: true,
} as const satisfies Partial<Operation>;

/** Rules, plans, the caller's draft, and what makes a version of it. */
export const RULE_ROUTES = {
  "/rules": {
    GET: {
      summary: "List the live rules",
      description: "With mode, revision, limit in words and hits now.",
      tag: "Rules",
      scope: "read",
      query: RuleListQuerySchema,
      status: 200,
      answer: output("RuleList", RuleListSchema),
    },
  },
  "/rules/{id}": {
    GET: {
      summary: "One live rule, with its revisions",
      tag: "Rules",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("RuleDetail", RuleDetailSchema),
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/mode": {
    POST: {
      summary: "Set a rule to off, shadow or enforce",
      description: "One click: a version of its own. To shadow, scope relax is enough.",
      tag: "Rules",
      scope: "publish",
      params: idParams,
      body: input("ModeRequest", ModeRequestSchema),
      status: 201,
      accepted: output("ChangeRequested", ChangeRequestedSchema),
      answer: output("Published", PublishedSchema),
      conflict: commitConflict,
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/enforce-preview": {
    GET: {
      summary: "What enforcing a rule now would ask for, and whom it would hit",
      description: "As POST /rules/{id}/mode would judge it. Nothing is changed.",
      tag: "Rules",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("EnforcePreview", EnforcePreviewSchema),
      conflict: { description: "The rule is in mode enforce already." },
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/rollback": {
    POST: {
      summary: "Bring back an earlier revision of a rule",
      description: "A new version; never asks for evidence.",
      tag: "Rules",
      scope: "rollback",
      params: idParams,
      body: input("RuleRollbackRequest", RuleRollbackRequestSchema),
      status: 201,
      answer: output("Published", PublishedSchema),
      conflict: commitConflict,
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/report": {
    GET: {
      summary: "What a rule rejects, or would reject",
      description:
        "Counts are of requests that the rule matched. The last 24 hours and the rule's present mode by default.",
      tag: "Rules",
      scope: "read",
      params: idParams,
      query: ReportQuerySchema,
      status: 200,
      answer: output("Report", ReportSchema),
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/report/export": {
    GET: {
      summary: "A rule's report as CSV or JSON",
      description:
        "JSON as the report itself. CSV is one table of all its figures, `part` saying which; a cell that a spreadsheet would run begins with an apostrophe.",
      tag: "Rules",
      scope: "read",
      params: idParams,
      query: ReportExportQuerySchema,
      status: 200,
      media: { type: "text/csv", description: "The total first." },
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/hits/export": {
    GET: {
      summary: "All logged rejections of a rule that fit, as CSV or JSON",
      description:
        "Without pages, however many. JSON is `{sampling, items}`; in CSV a cell that a spreadsheet would run begins with an apostrophe.",
      tag: "Rules",
      scope: "read",
      params: idParams,
      query: HitsExportQuerySchema,
      status: 200,
      media: { type: "text/csv", description: "The rejections, newest first." },
      isNotFoundPossible: true,
    },
  },
  "/rules/{id}/hits": {
    GET: {
      summary: "The log of a rule's rejections, real and would-be",
      tag: "Rules",
      scope: "read",
      params: idParams,
      query: HitsQuerySchema,
      status: 200,
      answer: output("HitList", HitListSchema),
      isNotFoundPossible: true,
    },
  },
  "/plans": {
    GET: {
      summary: "List the live plans",
      tag: "Rules",
      scope: "read",
      status: 200,
      answer: output("PlanList", PlanListSchema),
    },
  },
  "/lists": {
    GET: {
      summary: "The live allow, deny and flood lists",
      description:
        "With what they drop now. Their reports are those of the rules `_deny` and `_flood`.",
      tag: "Rules",
      scope: "read",
      status: 200,
      answer: output("Lists", ListsDetailSchema),
    },
  },
  "/draft": {
    GET: {
      summary: "The caller's draft",
      description: "Without one: the current version as its base and no changes.",
      tag: "Draft",
      scope: "read",
      status: 200,
      answer: output("Draft", DraftSchema),
    },
  },
  "/draft/content": {
    GET: {
      summary: "The whole ruleset as the draft has it",
      tag: "Draft",
      scope: "read",
      status: 200,
      answer: output("DraftContent", DraftContentSchema),
    },
    PUT: {
      summary: "Save a whole ruleset, or some sections of it, in the draft",
      description:
        "In one step. A section that is left out stays as it is; rules and plans that a section does not name stay, and are told, unless `prune` is true.",
      tag: "Draft",
      scope: "draft",
      body: input("DraftContentWrite", DraftContentWriteSchema),
      maxBytes: 16_777_216,
      status: 200,
      answer: output("DraftContentResult", DraftContentResultSchema),
      conflict: { description: "`tag` was given and the draft was changed since." },
    },
  },
  "/draft/content/diff": {
    POST: {
      summary: "What saving a ruleset would change in the draft",
      description: "Nothing is saved.",
      tag: "Draft",
      scope: "draft",
      body: input("DraftContentDiff", DraftContentWriteSchema.omit({ tag: true })),
      maxBytes: 16_777_216,
      status: 200,
      answer: output("DraftContentDifference", z.object({ ...DraftContentResultSchema.shape })),
    },
  },
  "/draft/rules/{id}": {
    GET: { ...draftRead, summary: "One rule of the draft", params: idParams },
    PUT: {
      ...draftWrite,
      summary: "Save a rule in the draft",
      description: "The whole rule. Content equal to the base takes it out of the draft.",
      params: idParams,
      body: input("RuleWrite", RuleFieldsSchema.partial({ id: true })),
    },
    DELETE: {
      ...draftWrite,
      summary: "Remove a rule in the draft",
      params: idParams,
      isNotFoundPossible: true,
    },
  },
  "/draft/plans/{id}": {
    GET: { ...draftRead, summary: "One plan of the draft", params: idParams },
    PUT: {
      ...draftWrite,
      summary: "Save a plan in the draft",
      params: idParams,
      body: input("PlanWrite", PlanSchema.partial({ id: true })),
    },
    DELETE: {
      ...draftWrite,
      summary: "Remove a plan in the draft",
      params: idParams,
      isNotFoundPossible: true,
    },
  },
  "/draft/candidates/{id}": {
    GET: {
      ...draftRead,
      summary: "One rule's candidate in the draft",
      params: idParams,
    },
    PUT: {
      ...draftWrite,
      summary: "Save a rule's candidate in the draft",
      description:
        "The whole rule that is tried beside the live one, in mode enforce, and for what share of clients it is enforced (0 when left out).",
      params: idParams,
      body: input("CandidateWrite", CandidateFieldsSchema),
    },
    DELETE: {
      ...draftWrite,
      summary: "Drop a rule's candidate in the draft",
      params: idParams,
      isNotFoundPossible: true,
    },
  },
  "/draft/lists/{name}": {
    GET: {
      ...draftRead,
      summary: "One list of the draft",
      params: z.object({ name: z.enum(["allow", "deny", "flood"]) }),
    },
    PUT: {
      ...draftWrite,
      summary: "Save the allow, deny or flood list in the draft",
      description:
        "The whole list. An entry is a key, a customer, an address or a range (flood: an address or a range, and how many requests a second of each address).",
      maxBytes: 16_777_216,
      params: z.object({ name: z.enum(["allow", "deny", "flood"]) }),
      body: input("ListWrite", z.union([ListsSchema.shape.allow, ListsSchema.shape.flood])),
    },
    DELETE: {
      ...draftWrite,
      summary: "Empty a list in the draft",
      params: z.object({ name: z.enum(["allow", "deny", "flood"]) }),
    },
  },
  "/draft/routes": {
    GET: { ...draftRead, summary: "The draft's route templates" },
    PUT: {
      ...draftWrite,
      summary: "Save the route templates in the draft",
      body: input("RoutesWrite", RoutesBodySchema),
    },
    DELETE: { ...draftWrite, summary: "Remove all route templates in the draft" },
  },
  "/draft/settings": {
    GET: { ...draftRead, summary: "The draft's settings" },
    PUT: {
      ...draftWrite,
      summary: "Save the settings in the draft",
      body: input("SettingsWrite", SettingsSchema),
    },
    DELETE: { ...draftWrite, summary: "Set all settings to their defaults in the draft" },
  },
  "/draft/rebase": {
    POST: {
      summary: "Put the draft on the current version",
      description:
        "The draft's own changes stay; objects that both sides changed are in `conflicts`.",
      tag: "Draft",
      scope: "draft",
      status: 200,
      answer: output("RebasedDraft", DraftSchema.extend({ conflicts: z.array(ConflictSchema) })),
    },
  },
  "/draft/discard": {
    POST: {
      summary: "Throw the draft away",
      tag: "Draft",
      scope: "draft",
      status: 200,
      answer: output("Draft", DraftSchema),
    },
  },
  "/publish": {
    POST: {
      summary: "Make the draft the live version",
      tag: "Draft",
      scope: "publish",
      body: input("PublishRequest", PublishRequestSchema),
      status: 201,
      accepted: output("ChangeRequested", ChangeRequestedSchema),
      answer: output("Published", PublishedSchema),
      conflict: commitConflict,
    },
  },
  "/schedules": {
    GET: {
      summary: "Scheduled publishes, newest first",
      tag: "Draft",
      scope: "read",
      query: ScheduleListQuerySchema,
      status: 200,
      answer: output("ScheduleList", ScheduleListSchema),
    },
    POST: {
      summary: "Publish the draft, as it is now, at a time",
      description:
        "The draft ends. When the time comes, base, content, evidence and the caller's rights are judged as at any publish; a refusal is audited and alerted.",
      tag: "Draft",
      scope: "publish",
      body: input("ScheduleRequest", ScheduleRequestSchema),
      status: 201,
      answer: output("Schedule", ScheduleSchema),
      conflict: commitConflict,
    },
  },
  "/schedules/{id}": {
    DELETE: {
      summary: "Take a scheduled publish back",
      description:
        "Its changes are the caller's draft again, if the caller made it and has no other draft.",
      tag: "Draft",
      scope: "publish",
      params: idParams,
      status: 200,
      answer: output("ScheduleCancelled", ScheduleCancelledSchema),
      conflict: { description: "It was published or taken back already." },
      isNotFoundPossible: true,
    },
  },
} as const satisfies PathTable;
