import { type Ctx, getDraft, getVersion } from "@/lib/control";
import type { DraftChange } from "@/lib/core/api/draft";

export type DraftedObject = {
  /** As the draft has it, else as its base has it. */
  value: unknown;
  /** The draft's number of saves, 0 when it leaves the object alone. */
  edit: number;
  /** The version that it was read from. */
  baseVersion: number;
  /** What the draft does to it, a sentence a field. */
  changes: readonly { sentence: string; loud: boolean }[];
};

/** Settings, route templates and the names of plans, as the caller's draft has them. */
export async function getDraftedSettings(ctx: Ctx): Promise<{
  settings: DraftedObject;
  routes: DraftedObject;
  plans: readonly { id: string; name: string; protected: boolean }[];
  version: number;
}> {
  const draft = await getDraft(ctx);
  const { body } = await getVersion(ctx, { number: draft.baseVersion });
  const drafted = (kind: "settings" | "routes", base: unknown): DraftedObject => {
    const change = draft.changes.find((each) => each.kind === kind);
    return {
      value: change === undefined ? base : change.after,
      edit: change?.edit ?? 0,
      baseVersion: draft.baseVersion,
      changes: change === undefined ? [] : sentencesOf(change),
    };
  };
  return {
    settings: drafted("settings", body.settings),
    routes: drafted("routes", body.routes),
    plans: body.plans.map(({ id, name, protected: isProtected }) => ({
      id,
      name,
      protected: isProtected,
    })),
    version: draft.baseVersion,
  };
}

function sentencesOf({ change, diff }: DraftChange): { sentence: string; loud: boolean }[] {
  const fields = diff.map(({ sentence, loud }) => ({ sentence, loud }));
  return fields.length > 0 ? fields : [{ sentence: change.sentence, loud: change.loud }];
}
