import { z } from "zod";
import type { Action, ActionFailure } from "@/components/ui/action-result";
import type { ApprovalSetting, ChangeRequestRow } from "@/lib/core/api/change-requests";
import { ChangeRequestedSchema, type Published } from "@/lib/core/api/publish";

export type ApprovalActions = {
  approve: Action<{ id: string; contentHash: string }, Published>;
  reject: Action<{ id: string; reason: string }, ChangeRequestRow>;
  withdraw: Action<{ id: string }, ChangeRequestRow>;
  setRequired: Action<{ required: boolean }, ApprovalSetting>;
};

const DetailsSchema = ChangeRequestedSchema.extend({ reason: z.literal("approval") });

/** The change request that was made in place of the change; null when it failed for another reason. */
export function requestedOf({ details }: Pick<ActionFailure, "details">): string | null {
  const parsed = DetailsSchema.safeParse(details);
  return parsed.success ? parsed.data.changeRequest.id : null;
}
