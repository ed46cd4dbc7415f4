"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { getDraftedLists } from "@/app/_server/drafted-lists";
import { type Ctx, putDraftItem } from "@/lib/control";
import { LIST_ENTRIES_MAX, LIST_NAMES, type ListName, listSubject } from "@/lib/core/list-entry";

const list = z.enum(LIST_NAMES);
const value = z.string().max(200);

/** Adds entries to the draft's list; one that is `replaces` is changed in its place. */
export const saveEntriesAction = consoleAction(
  z.strictObject({
    list,
    values: z.array(value).min(1).max(LIST_ENTRIES_MAX),
    reason: z.string().max(1000),
    perSecond: z.number().nullable(),
    replaces: value.nullable(),
  }),
  (ctx, { list, values, reason, perSecond, replaces }) => {
    const rate = list === "flood" ? { perSecond } : {};
    const entries = values.map((value) => ({ value, reason, ...rate }));
    return changeList(ctx, list, (before) =>
      replaces === null
        ? [...before, ...entries]
        : before.flatMap((entry) => (isSame(entry.value, replaces) ? entries : [entry])),
    );
  },
);

export const removeEntryAction = consoleAction(z.strictObject({ list, value }), (ctx, input) =>
  changeList(ctx, input.list, (before) =>
    before.filter((entry) => !isSame(entry.value, input.value)),
  ),
);

/** On what the draft has now, not on what the page showed: entries of another tab stay. */
async function changeList(
  ctx: Ctx,
  name: ListName,
  change: (before: readonly { value: string }[]) => readonly unknown[],
) {
  const { drafted, edits } = await getDraftedLists(ctx);
  const { edit, baseVersion } = edits[name];
  const body = change(drafted[name]);
  return putDraftItem(ctx, { kind: "lists", id: name, body, edit, baseVersion });
}

function isSame(a: string, b: string): boolean {
  return (listSubject(a)?.name ?? a) === (listSubject(b)?.name ?? b);
}
