import type { VersionKind } from "@/lib/core/api/versions";
import { AppError, type FieldError } from "@/lib/core/errors";
import { SUPPORTED_FEATURES } from "@/lib/core/features";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import type { Rule } from "@/lib/core/rule";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import type { LoadedVersion } from "./live-version";

/** Throws `invalid` with every reason why this content must not go live. Paths begin with `rules.<id>`, `plans.<id>`. */
export async function requirePublishable(
  tx: Tx,
  { live, content, kind }: { live: LoadedVersion | null; content: Content; kind: VersionKind },
): Promise<void> {
  const errors = [
    ...referenceErrors(content),
    ...featureErrors(content),
    // Going back must always be possible: keys of a plan that is gone then get `default`.
    ...(kind === "rollback" ? [] : await removedPlanErrors(tx, live, content)),
  ];
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw new AppError("invalid", `this cannot be published: ${first.message}${more}`, { errors });
}

/** Plans that rules and settings name must be there. */
export function referenceErrors(content: Content): FieldError[] {
  const known = new Set([...content.plans.map(({ id }) => id), ANONYMOUS_PLAN]);
  const allowed = [...known].join(", ");
  const wrong = (path: string, what: string, plan: string): FieldError[] =>
    known.has(plan)
      ? []
      : [{ path, message: `${what} names plan "${plan}", which is not one of ${allowed}` }];
  const { incompleteDirectoryPlan } = content.settings;
  return [
    ...content.rules.flatMap((rule) =>
      plansNamed(rule).flatMap(({ path, plan }) =>
        wrong(`rules.${rule.id}.${path}`, `rule ${rule.id}`, plan),
      ),
    ),
    ...wrong(
      "settings.incompleteDirectoryPlan",
      "incompleteDirectoryPlan",
      incompleteDirectoryPlan,
    ),
  ];
}

function plansNamed(rule: Rule): { path: string; plan: string }[] {
  return [
    ...Object.keys(rule.limit.perPlan).map((plan) => ({ path: `limit.perPlan.${plan}`, plan })),
    ...(rule.match.plans ?? []).map((plan, i) => ({ path: `match.plans.${i}`, plan })),
  ];
}

function featureErrors(content: Content): FieldError[] {
  return Object.entries(content.lists).flatMap(([name, list]) =>
    list.length === 0 || SUPPORTED_FEATURES.includes(`lists/${name}`)
      ? []
      : [
          {
            path: `lists.${name}`,
            message: `the ${name} list has ${list.length} entries, but this build's gateways do not know lists yet: empty it`,
          },
        ],
  );
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

/** Why a plan may not go: somebody is on it. Null when nobody is. */
export async function planInUse(
  tx: Pick<Tx, "customer">,
  { id, name }: { id: string; name: string },
): Promise<string | null> {
  const customers = await tx.customer.count({ where: { plan: id } });
  if (customers === 0) return null;
  const who = customers === 1 ? "1 customer is" : `${customers} customers are`;
  return `plan ${id} (${name}) cannot be deleted: ${who} on it; move them to another plan first`;
}
