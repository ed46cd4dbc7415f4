import { type Ctx, getDraft, getVersion } from "@/lib/control";
import type { Draft } from "@/lib/core/api/draft";
import { LIST_NAMES, type ListName, type Lists, ListsSchema } from "@/lib/core/list-entry";

export type DraftedList = {
  /** The draft's number of saves, 0 when it leaves the list alone. */
  edit: number;
  /** The version that it was read from. */
  baseVersion: number;
  /** `deny list: adds …`: what the draft does to it. */
  change: string | null;
};

/** The lists as the caller's draft has them, and as its base has them. */
export async function getDraftedLists(
  ctx: Ctx,
): Promise<{ base: Lists; drafted: Lists; edits: Record<ListName, DraftedList> }> {
  const draft = await getDraft(ctx);
  const { body } = await getVersion(ctx, { number: draft.baseVersion });
  const changes = new Map(
    draft.changes.filter(({ kind }) => kind === "lists").map((change) => [change.id, change]),
  );
  const after = LIST_NAMES.flatMap((name) => {
    const change = changes.get(name);
    return change === undefined ? [] : [[name, change.after]];
  });
  const edits = Object.fromEntries(
    LIST_NAMES.map((name) => [name, editOf(draft, changes.get(name))]),
  ) as Record<ListName, DraftedList>;
  const drafted = ListsSchema.parse({ ...body.lists, ...Object.fromEntries(after) });
  return { base: body.lists, drafted, edits };
}

function editOf({ baseVersion }: Draft, change: Draft["changes"][number] | undefined): DraftedList {
  return { edit: change?.edit ?? 0, baseVersion, change: change?.change.sentence ?? null };
}
