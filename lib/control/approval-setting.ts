import type { z } from "zod";
import { type ApprovalSetting, ApprovalSettingSchema } from "@/lib/core/api/change-requests";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import type { Ctx } from "./context";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

export async function getApprovalSetting(ctx: Ctx): Promise<ApprovalSetting> {
  requirePermission(ctx, "read");
  return { required: (await getInstallation(ctx.db)).approvalRequired };
}

/**
 * Of the installation, not of the ruleset: no publish and no rollback changes it. Refused while only one person could
 * publish, as nothing would ever be approved.
 */
export async function setApprovalSetting(
  ctx: Ctx,
  input: z.input<typeof ApprovalSettingSchema>,
): Promise<ApprovalSetting> {
  requirePermission(ctx, "people");
  const { required } = parseInput(ApprovalSettingSchema, input, "the setting");
  return inTransaction(ctx.db, async (tx) => {
    const installation = await lockInstallation(tx);
    if (installation === null) throw new AppError("unavailable", "Headgate is not set up yet");
    if (installation.approvalRequired === required) return { required };
    const publishers = await tx.user.count({
      where: { banned: false, role: { in: ["publisher", "admin"] } },
    });
    if (required && publishers < 2)
      throw new AppError(
        "conflict",
        `approval needs two people who may publish, there ${publishers === 1 ? "is 1" : "are none"}: invite another publisher or admin first`,
      );
    await tx.installation.update({ where: { id: 1 }, data: { approvalRequired: required } });
    await recordAudit(tx, ctx.actor, {
      action: "installation.approval",
      kind: "installation",
      objectId: "approval",
      sentence: `${ctx.actor.name} ${required ? "asks for a second person's approval of" : "lets go live without a second person"} what becomes enforced or stricter`,
      before: { required: !required },
      after: { required },
    });
    return { required };
  });
}
