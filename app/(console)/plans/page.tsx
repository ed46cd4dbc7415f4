import type { Metadata } from "next";
import { getPageCtx } from "@/app/_server/session";
import { revertItemAction } from "@/app/(console)/rules/actions";
import { matrixRows } from "@/components/plans/matrix-rows";
import { PlanEffectsTable } from "@/components/plans/plan-effects";
import { planEntries } from "@/components/plans/plan-entries";
import { PlanList } from "@/components/plans/plan-list";
import { PlanMatrix } from "@/components/plans/plan-matrix";
import { Banner } from "@/components/ui/banner";
import { formatPlural } from "@/components/ui/format";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { getDraft, getVersion, listPlanEffects, listPlans } from "@/lib/control";
import { deletePlanAction, planRemovalAction, savePlanAction } from "./actions";

export const metadata: Metadata = { title: "Plans" };

const actions = {
  save: savePlanAction,
  remove: deletePlanAction,
  previewRemoval: planRemovalAction,
  revert: revertItemAction,
};

export default async function PlansPage() {
  const ctx = await getPageCtx();
  const [{ items, version }, draft, effects] = await Promise.all([
    listPlans(ctx),
    getDraft(ctx),
    listPlanEffects(ctx),
  ]);
  const { body } = await getVersion(ctx, { number: version });
  const entries = planEntries(items, { version, plans: body.plans }, draft);
  const changed = entries.filter(({ change }) => change !== null).length;
  return (
    <>
      <PageHeader
        title="Plans"
        description={`Tiers that rules give amounts to, as of v${version}. A key has its customer's plan; who is on which plan changes at once, without a publish.`}
      />
      <div className="flex flex-col gap-5">
        {changed > 0 && (
          <Banner
            tone="info"
            title={`Your draft changes ${formatPlural(changed, "plan")}: not live yet`}
            actions={<ButtonLink href="/draft">Review and publish</ButtonLink>}
          />
        )}
        <PlanList plans={entries} actions={actions} />
        {effects.length > 0 && (
          <section aria-labelledby="effects">
            <h2 id="effects" className="mb-2 text-base font-semibold">
              Whose limits your draft changes
            </h2>
            <PlanEffectsTable effects={effects} />
            <p className="mt-2 text-sm text-muted">
              Against v{version}, once you publish. Clients with an override keep what it gives.
            </p>
          </section>
        )}
        <section aria-labelledby="limits">
          <h2 id="limits" className="mb-2 text-base font-semibold">
            What each rule gives each plan
          </h2>
          <PlanMatrix plans={items} rows={matrixRows(items, body.rules)} />
          <p className="mt-2 text-sm text-muted">
            Live in v{version}. Anonymous is traffic without a key that is known, by IP address. A
            rule's amounts are changed in its editor.
          </p>
        </section>
      </div>
    </>
  );
}
