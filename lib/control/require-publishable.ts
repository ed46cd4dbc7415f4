import type { VersionKind } from "@/lib/core/api/versions";
import { type Candidate, countsByClient, isShared } from "@/lib/core/candidate";
import { AppError, type FieldError } from "@/lib/core/errors";
import { lintContent } from "@/lib/core/lint";
import { ListsSchema } from "@/lib/core/list-entry";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { SettingsSchema } from "@/lib/core/ruleset";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import type { LoadedVersion } from "./live-version";
import { planInUse, plansNamed } from "./plan-use";

/** Throws `invalid` with every reason why this content must not go live. Paths begin with `rules.<id>`, `plans.<id>`. */
export async function requirePublishable(
  tx: Tx,
  { live, content, kind }: { live: LoadedVersion | null; content: Content; kind: VersionKind },
): Promise<void> {
  // Going back must always be possible: gateways give keys of a plan that is gone the `default`.
  if (kind === "rollback") return;
  const errors = [...newErrors(live, content), ...(await removedPlanErrors(tx, live, content))];
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw new AppError("invalid", `this cannot be published: ${first.message}${more}`, { errors });
}

/** What is wrong and was not before: a fault that a rollback brought back must not stop the change that helps. */
function newErrors(live: LoadedVersion | null, content: Content): FieldError[] {
  const old = new Set(live === null ? [] : contentErrors(live.content).map(wordsOf));
  return contentErrors(content).filter((error) => !old.has(wordsOf(error)));
}

function wordsOf({ path, message }: FieldError): string {
  return `${path} ${message}`;
}

const FOLDER: Record<string, string> = { rule: "rules", plan: "plans" };

function contentErrors(content: Content): FieldError[] {
  const findings = lintContent(content)
    .filter(({ level }) => level === "error")
    .map(({ kind, id, path, message }) => ({
      path: [...(kind === id ? [kind] : [FOLDER[kind] ?? kind, id]), path]
        .filter((part) => part !== "")
        .join("."),
      message: kind === id ? message : `${id}: ${message}`,
    }));
  return [...findings, ...referenceErrors(content)];
}

/** Plans that rules and settings name must be there. */
function referenceErrors(content: Content): FieldError[] {
  const known = new Set([...content.plans.map(({ id }) => id), ANONYMOUS_PLAN]);
  const allowed = [...known].join(", ");
  const wrong = (path: string, what: string, plan: string): FieldError[] =>
    known.has(plan)
      ? []
      : [{ path, message: `${what} names plan "${plan}", which is not one of ${allowed}` }];
  return [
    ...content.rules.flatMap((rule) =>
      plansNamed(rule).flatMap(({ path, plan }) =>
        wrong(`rules.${rule.id}.${path}`, `rule ${rule.id}`, plan),
      ),
    ),
    ...content.candidates.flatMap((candidate) => candidateErrors(content, candidate, wrong)),
    ...wrong(
      "settings.incompleteDirectoryPlan",
      "incompleteDirectoryPlan",
      content.settings.incompleteDirectoryPlan,
    ),
  ];
}

/** A candidate stands beside a live rule, and its share is of clients that it can tell apart. */
function candidateErrors(
  { rules, plans }: Content,
  { id, share, rule }: Candidate,
  wrong: (path: string, what: string, plan: string) => FieldError[],
): FieldError[] {
  const path = `candidates.${id}`;
  const live = rules.find((each) => each.id === id);
  if (live === undefined)
    return [{ path, message: `there is no rule ${id} that a candidate could stand beside` }];
  const asRule = { settings: SettingsSchema.parse({}), lists: ListsSchema.parse({}), routes: [] };
  const lint = lintContent({ ...asRule, plans, rules: [rule], candidates: [] }).filter(
    (finding) => finding.level === "error" && finding.kind === "rule",
  );
  const names = typeof share === "number" ? [] : Object.keys(share);
  const blind = [live, rule].find((each) => !countsByClient(each));
  return [
    ...lint.map((finding) => ({
      path: [path, "rule", finding.path].filter((part) => part !== "").join("."),
      message: `the candidate of ${id}: ${finding.message}`,
    })),
    ...plansNamed(rule).flatMap((each) =>
      wrong(`${path}.rule.${each.path}`, `the candidate of rule ${id}`, each.plan),
    ),
    ...names.flatMap((plan) => wrong(`${path}.share`, `the share of ${id}'s candidate`, plan)),
    ...(isShared(share) && blind !== undefined
      ? [
          {
            path: `${path}.share`,
            message: `a share of clients needs a rule that counts by client, apiKey, customer or ip, got ${blind.countBy.join(", ")}`,
          },
        ]
      : []),
  ];
}

async function removedPlanErrors(
  tx: Tx,
  live: LoadedVersion | null,
  content: Content,
): Promise<FieldError[]> {
  const kept = new Set(content.plans.map(({ id }) => id));
  const removed = (live?.content.plans ?? []).filter(({ id }) => !kept.has(id));
  const errors: FieldError[] = [];
  for (const { id, name } of removed) {
    const message = await planInUse(tx, { id, name });
    if (message !== null) errors.push({ path: `plans.${id}`, message });
  }
  return errors;
}
