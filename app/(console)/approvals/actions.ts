"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import {
  approveChangeRequest,
  rejectChangeRequest,
  setApprovalSetting,
  withdrawChangeRequest,
} from "@/lib/control";
import {
  ApprovalSettingSchema,
  ApproveRequestSchema,
  RejectRequestSchema,
} from "@/lib/core/api/change-requests";

const id = z.string().min(1).max(100);

export const approveAction = consoleAction(ApproveRequestSchema.extend({ id }), (ctx, input) =>
  approveChangeRequest(ctx, input),
);

export const rejectAction = consoleAction(RejectRequestSchema.extend({ id }), (ctx, input) =>
  rejectChangeRequest(ctx, input),
);

export const withdrawAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  withdrawChangeRequest(ctx, input),
);

export const setRequiredAction = consoleAction(ApprovalSettingSchema, (ctx, input) =>
  setApprovalSetting(ctx, input),
);
