import { TriangleAlert } from "lucide-react";
import { LintList } from "@/components/rules/lint-list";
import { Card } from "@/components/ui/card";
import { UserText } from "@/components/ui/user-text";
import type { ObjectChange } from "@/lib/core/api/change";
import type { Draft, DraftChange } from "@/lib/core/api/draft";
import { summariseChanges } from "@/lib/core/diff";
import {
  type DraftActions,
  type DraftConflict,
  draftObjectKey,
  type PublishedSince,
} from "./draft-actions-data";
import { DraftChangeCard } from "./draft-change-card";
import { EvidenceNeeds } from "./evidence-needs";
import { PublishForm, type WatchDefaults } from "./publish-form";
import { StaleDraft } from "./stale-draft";

type DraftReviewProps = {
  draft: Draft;
  published: readonly PublishedSince[];
  conflicts: readonly DraftConflict[];
  watch: WatchDefaults;
  actions: DraftActions;
  /** The object that the reader has just saved. */
  saved: string | undefined;
};

/** Everything that a person must see before a draft goes live, and the button that does it. */
export function DraftReview({
  draft,
  published,
  conflicts,
  watch,
  actions,
  saved,
}: DraftReviewProps) {
  const summary = summariseChanges(draft.changes.map(asObjectChange));
  const errors = draft.lint.filter(({ level }) => level === "error").length;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-w-0 flex-col gap-4">
        {draft.stale && (
          <StaleDraft
            baseVersion={draft.baseVersion}
            currentVersion={draft.currentVersion}
            published={published}
            conflicts={conflicts}
            rebase={actions.rebase}
          />
        )}
        <div className="flex flex-col gap-0.5">
          <p className="text-lg font-semibold">
            {capital(summary.sentence)}.{" "}
            <span className="font-normal text-muted">
              {draft.stale
                ? `Based on v${draft.baseVersion}.`
                : `Base v${draft.baseVersion} is still live.`}
            </span>
          </p>
          {summary.loud && (
            <ul className="flex flex-col gap-0.5">
              {draft.changes
                .filter(({ change }) => change.loud)
                .map((each) => (
                  <li key={draftObjectKey(each)} className="flex gap-1.5 font-semibold">
                    <TriangleAlert aria-hidden className="mt-1 size-4 shrink-0 text-danger" />
                    <UserText>{each.change.sentence}</UserText>
                  </li>
                ))}
            </ul>
          )}
        </div>
        {draft.changes.map((change) => (
          <DraftChangeCard
            key={draftObjectKey(change)}
            change={change}
            revert={actions.revert}
            isJustSaved={saved === change.id}
          />
        ))}
      </div>
      <aside
        aria-label="Before it goes live"
        className="flex min-w-0 flex-col gap-4 xl:sticky xl:top-16"
      >
        {draft.lint.length > 0 && (
          <Card title="Findings">
            <LintList findings={draft.lint} withObject />
          </Card>
        )}
        {draft.evidence.length > 0 && <EvidenceNeeds evidence={draft.evidence} />}
        <PublishForm
          watch={draft.evidence.length === 0 ? null : watch}
          draft={draft}
          errors={errors}
          publish={actions.publish}
          schedule={actions.schedule}
        />
      </aside>
    </div>
  );
}

function asObjectChange({ kind, id, before, after, diff, change }: DraftChange): ObjectChange {
  return { kind, id, name: id, before, after, diff, ...change };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
