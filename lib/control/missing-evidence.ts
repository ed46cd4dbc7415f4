import type { Draft } from "@/lib/core/api/draft";
import type { MissingEvidence } from "@/lib/core/api/publish";
import { type Candidate, shareOfPlan } from "@/lib/core/candidate";
import { judgeEvidence } from "@/lib/core/evidence";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import type { Rule } from "@/lib/core/rule";
import type { Content } from "@/lib/core/ruleset-objects";
import { stepsOfClients } from "@/lib/core/share-steps";
import { isStricterOrEnforced, rulesStricterByPlans } from "@/lib/core/stricter";
import type { Reader } from "@/lib/db/client";
import { blastRadius } from "./blast-radius";
import type { Control } from "./context";
import { evidenceReports, getCoverage } from "./get-coverage";
import type { LoadedVersion } from "./live-version";

type Change = { live: LoadedVersion; content: Content };
type Need = Draft["evidence"][number];

/** What is asked for and not there; empty when the change may go through. */
export async function missingEvidence(
  control: Pick<Control, "clock">,
  reader: Reader,
  change: Change,
): Promise<MissingEvidence[]> {
  const judged = await judgedRules(control, reader, change);
  return judged
    .filter(({ enough }) => !enough)
    .map(({ rule: { id }, because, why }) => ({ rule: id, because, why }));
}

/** Every rule that the change makes enforced or stricter, whether its shadow has shown enough, and whom it would hit. */
export async function evidenceNeeded(
  control: Pick<Control, "clock">,
  reader: Reader,
  change: Change,
): Promise<Need[]> {
  const bounds = change.live.content.settings.confirmAbove;
  const nowMs = control.clock.nowMs();
  const needed: Need[] = [];
  for (const { rule, because, enough, why } of await judgedRules(control, reader, change)) {
    const radius = await blastRadius(reader, { rule, bounds, nowMs });
    needed.push({ rule: rule.id, name: rule.name, because, enough, why, radius });
  }
  return needed;
}

type Judged = { rule: Rule; because: string; enough: boolean; why: string[] };

async function judgedRules(
  { clock }: Pick<Control, "clock">,
  reader: Reader,
  { live, content }: Change,
): Promise<Judged[]> {
  const stricter = stricterRules(live.content, content);
  if (stricter.length === 0) return [];
  const nowMs = clock.nowMs();
  const reported = await evidenceReports(reader, nowMs);
  const judged: Judged[] = [];
  for (const { rule, because } of stricter) {
    const coverage = await getCoverage(reader, { rule, nowMs, reported });
    // The bounds in force, not those of the change: it could lower them for itself.
    const { enough, why } = judgeEvidence(live.content.settings.evidence, coverage);
    judged.push({ rule, because, enough, why });
  }
  return judged;
}

/** What a change makes enforced or stricter, and why. */
export function stricterRules(before: Content, after: Content): { rule: Rule; because: string }[] {
  const old = new Map(before.rules.map((rule) => [rule.id, rule]));
  const had = before.plans.map(({ id }) => id);
  const has = after.plans.map(({ id }) => id);
  const removed = had.filter((id) => !has.includes(id));
  const added = has.filter((id) => !had.includes(id));
  const byPlans = new Map(
    rulesStricterByPlans({ removed, added }, after.rules).map(({ rule, why }) => [rule, why]),
  );
  const triedByPlans = ({ share, rule }: Candidate) => {
    const isOfShare = (plan: string) => shareOfPlan(share, plan) > 0;
    const plans = { removed: removed.filter(isOfShare), added: added.filter(isOfShare) };
    return rulesStricterByPlans(plans, [rule]).map(({ why }) => ({ rule, because: [why] }));
  };
  const was = new Map(before.candidates.map((each) => [each.id, each]));
  const will = new Map(after.candidates.map((each) => [each.id, each]));
  return after.rules.flatMap((live) => {
    const { id } = live;
    // What a change did not touch is the same object: nearly all rules, at nearly all changes.
    const isUntouched = old.get(id) === live && was.get(id) === will.get(id) && !byPlans.has(id);
    if (isUntouched) return [];
    const steps = stepsOfClients(
      { live: old.get(id) ?? null, candidate: was.get(id) ?? null },
      { live, candidate: will.get(id) ?? null },
      [...new Set([...had, ...has, ANONYMOUS_PLAN])],
    );
    const due = steps.flatMap(({ from, to }) => {
      const { needsEvidence, why } = isStricterOrEnforced(from, to);
      return needsEvidence ? [{ rule: to, because: [why] }] : [];
    });
    const plansWhy = byPlans.get(id);
    if (plansWhy !== undefined) due.push({ rule: live, because: [plansWhy].flat() });
    const tried = will.get(id);
    if (tried !== undefined) due.push(...triedByPlans(tried));
    const ofOne = new Map<Rule, string[]>();
    for (const { rule, because } of due) ofOne.set(rule, [...(ofOne.get(rule) ?? []), ...because]);
    return [...ofOne].map(([rule, because]) => ({ rule, because: because.join("; ") }));
  });
}
