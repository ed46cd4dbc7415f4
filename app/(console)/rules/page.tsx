import { ListChecks, Plus } from "lucide-react";
import type { Metadata } from "next";
import { numberText, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { modeNames } from "@/components/rules/mode-badge";
import { RuleTable } from "@/components/rules/rule-table";
import { parseRuleSort, sortRules } from "@/components/rules/sort-rules";
import { PermittedLink } from "@/components/shell/permissions";
import { StopButton } from "@/components/stops/stop-button";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar } from "@/components/ui/filter-bar";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { listAllRules, listOverrides } from "@/lib/control";
import { MODES } from "@/lib/core/rule";
import { stopEnforcingAction } from "../stops/actions";
import { ruleActions } from "./rule-actions";

export const metadata: Metadata = { title: "Rules" };

const PAGE_SIZE = 50;
const REFRESH_MS = 4000;

export default async function RulesPage({ searchParams }: { searchParams: SearchParams }) {
  const asked = await searchTexts(searchParams, ["q", "mode", "sort", "page"]);
  const sort = parseRuleSort(asked.sort);
  const mode = MODES.find((each) => each === asked.mode);
  const ctx = await getPageCtx();
  const [list, expiring] = await Promise.all([
    listAllRules(ctx, { q: asked.q?.slice(0, 200), mode }),
    listOverrides(ctx, { expiresWithinDays: 7, limit: 1 }),
  ]);
  const found = list.items.length;
  const lastPage = Math.max(0, Math.ceil(found / PAGE_SIZE) - 1);
  const page = Math.min(lastPage, Math.max(0, (numberText(asked.page) ?? 1) - 1));
  const rows = sortRules(list.items, sort).slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  return (
    <>
      <PageHeader
        title="Rules"
        description="What each rule rejects now, since when, and who changed it last."
        actions={
          <>
            <StopButton stop={stopEnforcingAction} rollbackVersion={ruleActions.rollbackVersion} />
            <PermittedLink needs="draft" variant="primary" href="/rules/new">
              <Plus aria-hidden /> New rule
            </PermittedLink>
          </>
        }
      />
      {list.total === 0 ? (
        <NoRules />
      ) : (
        <div className="flex flex-col gap-3">
          <FilterBar
            resets={["page"]}
            filters={[
              { kind: "search", key: "q", label: "Search name, id, path" },
              {
                kind: "select",
                key: "mode",
                label: "Mode",
                all: "Every mode",
                options: MODES.map((value) => ({ value, label: modeNames[value] })),
              },
            ]}
          />
          <RuleTable
            rows={rows}
            sort={sort}
            page={page}
            pageSize={PAGE_SIZE}
            found={found}
            total={list.total}
            asOf={list.asOf}
            query={JSON.stringify([asked.q, mode, sort, page])}
            actions={ruleActions}
          />
          {expiring.total > 0 && (
            <p className="text-sm text-muted">
              <TextLink href="/overrides?expiring=7" prefetch={false}>
                {formatPlural(expiring.total, "override")} expiring this week
              </TextLink>
            </p>
          )}
        </div>
      )}
      <RefreshEvery ms={REFRESH_MS} />
    </>
  );
}

function NoRules() {
  return (
    <div className="rounded-lg border bg-surface">
      <EmptyState
        icon={<ListChecks />}
        title="There is no rule yet: every request passes"
        actions={
          <PermittedLink needs="draft" variant="primary" href="/rules/new">
            <Plus aria-hidden /> Make the first rule
          </PermittedLink>
        }
      >
        A new rule starts in shadow: it counts and logs what it would refuse, and changes no answer.
        Save it to your draft, review, publish; when its report convinces you, enforce it.
      </EmptyState>
    </div>
  );
}
