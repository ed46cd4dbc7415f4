import { FilePenLine } from "lucide-react";
import type { Metadata } from "next";
import { draftConflicts, publishedSince } from "@/app/_server/draft-conflicts";
import { numberText, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getOwnDraft } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { DiscardDraft } from "@/components/draft/discard-draft";
import type { DraftActions } from "@/components/draft/draft-actions-data";
import { DraftReview } from "@/components/draft/draft-review";
import type { WatchDefaults } from "@/components/draft/publish-form";
import { PublishedVersion } from "@/components/rules/published-version";
import { ScheduleList } from "@/components/schedules/schedule-list";
import { PermittedLink } from "@/components/shell/permissions";
import { EmptyState } from "@/components/ui/empty-state";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { Time } from "@/components/ui/time";
import { type Ctx, getConvergence, getVersion, listSchedules } from "@/lib/control";
import { AppError } from "@/lib/core/errors";
import { revertItemAction, rollbackVersionAction } from "../rules/actions";
import {
  cancelScheduleAction,
  discardAction,
  publishAction,
  rebaseAction,
  scheduleAction,
} from "./actions";

export const metadata: Metadata = { title: "Review draft" };

const REFRESH_MS = 5000;

const actions: DraftActions = {
  publish: publishAction,
  schedule: scheduleAction,
  rebase: rebaseAction,
  discard: discardAction,
  revert: revertItemAction,
  rollbackVersion: rollbackVersionAction,
};

export default async function DraftPage({ searchParams }: { searchParams: SearchParams }) {
  const { published, saved } = await searchTexts(searchParams, ["published", "saved"]);
  const ctx = await getPageCtx();
  const draft = await getOwnDraft();
  const [since, conflicts, made, schedules, watch] = await Promise.all([
    publishedSince(ctx, draft),
    draftConflicts(ctx, draft),
    findPublished(ctx, numberText(published)),
    shownSchedules(ctx),
    watchDefaults(ctx, draft.currentVersion),
  ]);
  const isEmpty = draft.changes.length === 0;
  return (
    <>
      <PageHeader
        title="Review draft"
        description={
          draft.updatedAt === null ? undefined : (
            <>
              Yours alone, on v{draft.baseVersion}. Last saved <Time at={draft.updatedAt} />.
            </>
          )
        }
        actions={
          <>
            <ButtonLink href="/draft/text">As YAML</ButtonLink>
            {!isEmpty && <DiscardDraft changes={draft.changes.length} discard={actions.discard} />}
          </>
        }
      />
      {made && (
        <section aria-label="What you published" className="mb-4 flex flex-col gap-2">
          <p className="text-lg font-semibold">
            Published <TextLink href={`/versions/${made.version}`}>v{made.version}</TextLink>
            <span className="font-normal text-muted">: {made.sentence}</span>
          </p>
          <PublishedVersion
            version={made.version}
            previous={made.isLive ? made.parent : null}
            initial={made.convergence}
            rollbackVersion={actions.rollbackVersion}
          />
        </section>
      )}
      {isEmpty ? (
        <NoDraft isPublished={made !== null} />
      ) : (
        <DraftReview
          draft={draft}
          published={since}
          conflicts={conflicts}
          watch={watch}
          actions={actions}
          saved={saved}
        />
      )}
      {schedules.length > 0 && (
        <div className="mt-4">
          <ScheduleList schedules={schedules} cancel={cancelScheduleAction} />
        </div>
      )}
      <RefreshEvery ms={REFRESH_MS} />
    </>
  );
}

/** As they are in force: a draft's own settings do not watch its publish. */
async function watchDefaults(ctx: Ctx, number: number): Promise<WatchDefaults> {
  const { settings, plans } = (await getVersion(ctx, { number })).body;
  return {
    guardrail: settings.guardrail,
    protectedPlans: plans.flatMap((plan) => (plan.protected ? [plan.id] : [])),
  };
}

/** Everything that waits, and the last few that were refused or published. */
async function shownSchedules(ctx: Ctx) {
  const [waiting, latest] = await Promise.all([
    listSchedules(ctx, { state: "waiting", limit: 100 }),
    listSchedules(ctx, { limit: 5 }),
  ]);
  const done = latest.items.filter(({ state }) => state === "published" || state === "refused");
  return [...waiting.items, ...done];
}

function NoDraft({ isPublished }: { isPublished: boolean }) {
  return (
    <div className="rounded-lg border bg-surface">
      <EmptyState
        icon={<FilePenLine />}
        title={isPublished ? "Your draft is published; nothing else waits" : "Your draft is empty"}
        actions={
          <>
            <ButtonLink href="/rules">All rules</ButtonLink>
            <PermittedLink needs="draft" href="/rules/new">
              New rule
            </PermittedLink>
          </>
        }
      >
        What you change in rules and plans gathers here, seen by nobody else, until you publish it
        as one version.
      </EmptyState>
    </div>
  );
}

/** What Undo needs of the version that was just made; null for an address that names none. */
async function findPublished(ctx: Ctx, number: number | undefined) {
  if (number === undefined) return null;
  try {
    const [version, convergence] = await Promise.all([
      getVersion(ctx, { number }),
      getConvergence(ctx, { number }),
    ]);
    const { parent, live, changes } = version;
    return { version: number, parent, isLive: live, sentence: changes.sentence, convergence };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}
