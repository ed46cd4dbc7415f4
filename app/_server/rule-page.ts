import { notFound } from "next/navigation";
import { cache } from "react";
import { type Ctx, getDraft, getRule, getVersion } from "@/lib/control";
import type { Draft, DraftChange } from "@/lib/core/api/draft";
import type { RuleDetail } from "@/lib/core/api/rules";
import { AppError } from "@/lib/core/errors";
import { PlanSchema } from "@/lib/core/plan";
import { type Content, contentOf } from "@/lib/core/ruleset-objects";
import { getPageCtx } from "./session";

/** The live rule; null when the live version does not have it. */
export const findRule = cache(async (id: string): Promise<RuleDetail | null> => {
  try {
    return await getRule(await getPageCtx(), { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
});

/** As `findRule`; a rule that is not live leads to the 404 page. */
export async function getLiveRule(id: string): Promise<RuleDetail> {
  return (await findRule(id)) ?? notFound();
}

export const getOwnDraft = cache(async (): Promise<Draft> => getDraft(await getPageCtx()));

export async function findDraftedRule(id: string): Promise<DraftChange | null> {
  const { changes } = await getOwnDraft();
  return changes.find((change) => change.kind === "rule" && change.id === id) ?? null;
}

/** What a rule is written against: everything of the draft's base except its rules, with the draft's own plans and routes. */
export async function getEditorContent(ctx: Ctx): Promise<Content> {
  const draft = await getOwnDraft();
  const base = await getVersion(ctx, { number: draft.baseVersion });
  return { ...withDraft(contentOf(base.body), draft), rules: [] };
}

function withDraft(content: Content, { changes }: Draft): Content {
  const routes = changes.find(({ kind }) => kind === "routes")?.after;
  const drafted = changes.filter(({ kind }) => kind === "plan");
  const ids = new Set(drafted.map(({ id }) => id));
  const plans = drafted.flatMap(({ after }) => PlanSchema.safeParse(after).data ?? []);
  return {
    ...content,
    routes: Array.isArray(routes) ? routes.map(String) : content.routes,
    plans: [...content.plans.filter(({ id }) => !ids.has(id)), ...plans],
  };
}
