import type { DraftConflict, PublishedSince } from "@/components/draft/draft-actions-data";
import { type Ctx, diffVersions, listVersions } from "@/lib/control";
import type { Draft } from "@/lib/core/api/draft";
import { canonicalJson } from "@/lib/core/revision-hash";

const VERSIONS_TOLD = 20;

/** What was published since the draft's base, newest first. */
export async function publishedSince(ctx: Ctx, draft: Draft): Promise<PublishedSince[]> {
  if (!draft.stale) return [];
  const { items } = await listVersions(ctx, { limit: VERSIONS_TOLD });
  return items
    .filter(({ version }) => version > draft.baseVersion)
    .map(({ version, message, actor, createdAt }) => ({
      version,
      message,
      actor: actor.name,
      at: createdAt,
    }));
}

/** Objects that both the draft and the versions since its base changed, to different ends. */
export async function draftConflicts(ctx: Ctx, draft: Draft): Promise<DraftConflict[]> {
  if (!draft.stale) return [];
  const { baseVersion: from, currentVersion: to } = draft;
  const { objects } = await diffVersions(ctx, { from, to });
  return draft.changes.flatMap((mine): DraftConflict[] => {
    const theirs = objects.find(({ kind, id }) => kind === mine.kind && id === mine.id);
    if (theirs === undefined || isSame(theirs.after, mine.after)) return [];
    return [
      {
        kind: mine.kind,
        id: mine.id,
        name: theirs.name,
        theirs: { sentence: theirs.sentence, diff: theirs.diff },
        mine: { sentence: mine.change.sentence, diff: mine.diff },
      },
    ];
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson({ value: a }) === canonicalJson({ value: b });
}
