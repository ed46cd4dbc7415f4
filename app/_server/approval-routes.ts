import {
  ApprovalSettingSchema,
  ApproveRequestSchema,
  ChangeRequestListSchema,
  ChangeRequestQuerySchema,
  ChangeRequestRowSchema,
  RejectRequestSchema,
} from "@/lib/core/api/change-requests";
import { PublishedSchema } from "@/lib/core/api/publish";
import { idParams, type PathTable } from "./operation";
import { input, output } from "./schema-names";

const decided = { description: "It was decided already." };

/** What becomes enforced or stricter and waits for a second person. */
export const APPROVAL_ROUTES = {
  "/change-requests": {
    GET: {
      summary: "List change requests, newest first",
      tag: "Approval",
      scope: "read",
      query: ChangeRequestQuerySchema,
      status: 200,
      answer: output("ChangeRequestList", ChangeRequestListSchema),
    },
  },
  "/change-requests/{id}": {
    GET: {
      summary: "One change request, with what it changes",
      tag: "Approval",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("ChangeRequestRow", ChangeRequestRowSchema),
      isNotFoundPossible: true,
    },
  },
  "/change-requests/{id}/approve": {
    POST: {
      summary: "Approve a change request and make it live",
      description: "Only a person, and not its author. Held to the content that was looked at.",
      tag: "Approval",
      scope: "publish",
      params: idParams,
      body: input("ApproveRequest", ApproveRequestSchema),
      status: 201,
      answer: output("Published", PublishedSchema),
      isNotFoundPossible: true,
      conflict: { description: "It was decided, edited or overtaken since, or lacks evidence." },
    },
  },
  "/change-requests/{id}/reject": {
    POST: {
      summary: "Reject a change request",
      tag: "Approval",
      scope: "publish",
      params: idParams,
      body: input("RejectRequest", RejectRequestSchema),
      status: 200,
      answer: output("ChangeRequestRow", ChangeRequestRowSchema),
      isNotFoundPossible: true,
      conflict: decided,
    },
  },
  "/change-requests/{id}/withdraw": {
    POST: {
      summary: "Withdraw one's own change request",
      tag: "Approval",
      scope: "publish",
      params: idParams,
      status: 200,
      answer: output("ChangeRequestRow", ChangeRequestRowSchema),
      isNotFoundPossible: true,
      conflict: decided,
    },
  },
  "/approval": {
    GET: {
      summary: "Whether what becomes enforced or stricter needs a second person",
      tag: "Approval",
      scope: "read",
      status: 200,
      answer: output("ApprovalSetting", ApprovalSettingSchema),
    },
    PUT: {
      summary: "Ask for a second person, or no longer",
      tag: "Approval",
      scope: "people",
      body: input("ApprovalSetting", ApprovalSettingSchema),
      status: 200,
      answer: output("ApprovalSetting", ApprovalSettingSchema),
      conflict: { description: "Fewer than two people may publish." },
    },
  },
} as const satisfies PathTable;
