import type {
  DraftConflict,
  DraftObject,
  PublishedSince,
} from "@/components/draft/draft-actions-data";
import { type Ctx, diffVersions, listVersions } from "@/lib/control";
import type { Draft } from "@/lib/core/api/draft";
import { AppError } from "@/lib/core/errors";
import { mergeObjects } from "@/lib/core/merge-objects";
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
        canBoth: mergeObjects(theirs.before, mine.after, theirs.after).ok,
      },
    ];
  });
}

/** Each of these objects with both sides' changes; throws where one field was changed by both. */
export async function mergedObjects(
  ctx: Ctx,
  draft: Draft,
  asked: readonly DraftObject[],
): Promise<(DraftObject & { body: unknown })[]> {
  if (asked.length === 0) return [];
  const { baseVersion: from, currentVersion: to } = draft;
  const { objects } = await diffVersions(ctx, { from, to });
  return asked.map(({ kind, id }) => {
    const isIt = (each: DraftObject) => each.kind === kind && each.id === id;
    const [theirs, mine] = [objects.find(isIt), draft.changes.find(isIt)];
    const merge =
      theirs === undefined || mine === undefined
        ? null
        : mergeObjects(theirs.before, mine.after, theirs.after);
    if (merge?.ok === true) return { kind, id, body: merge.merged };
    throw new AppError(
      "conflict",
      merge === null
        ? `${kind} ${id} has no conflict any more: look again, then rebase`
        : `${kind} ${id} cannot keep both: both changed ${merge.paths.join(", ")}`,
    );
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson({ value: a }) === canonicalJson({ value: b });
}
