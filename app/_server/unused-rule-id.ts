import { type Ctx, getDraft, getVersion } from "@/lib/control";
import { AppError } from "@/lib/core/errors";

/** Throws where a new rule would silently take the place of another, live or in the draft. */
export async function requireUnusedRuleId(ctx: Ctx, id: string): Promise<void> {
  const { changes, currentVersion } = await getDraft(ctx);
  const { body } = await getVersion(ctx, { number: currentVersion });
  const isLive = body.rules.some((rule) => rule.id === id);
  const isDrafted = changes.some((change) => change.kind === "rule" && change.id === id);
  if (!isLive && !isDrafted) return;
  const message = `there is a rule ${id} already, ${isLive ? "live" : "in your draft"}: edit that one, or choose another id`;
  throw new AppError("invalid", message, { errors: [{ path: "id", message }] });
}
