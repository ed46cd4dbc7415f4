import type { Action } from "@/components/ui/action-result";
import type { DraftWriteResult } from "@/lib/core/api/draft";
import type { RuleHits } from "@/lib/core/api/rules";
import type { ListName } from "@/lib/core/list-entry";

/** The server actions that edit lists: all in the caller's draft. */
export type ListActions = {
  save: Action<
    {
      list: ListName;
      values: string[];
      reason: string;
      perSecond: number | null;
      /** The entry that is changed; null: new ones. */
      replaces: string | null;
    },
    DraftWriteResult
  >;
  remove: Action<{ list: ListName; value: string }, DraftWriteResult>;
  revert: Action<{ kind: "lists"; id: ListName }, unknown>;
};

export type ListRow = {
  value: string;
  reason: string;
  /** Of flood entries. */
  perSecond: number | null;
  /** Against the version that the draft stands on. */
  state: "live" | "added" | "changed" | "removed";
};

export type ListSection = {
  name: ListName;
  rows: readonly ListRow[];
  /** Entries of the draft's list, whatever the search shows. */
  total: number;
  /** Rows that the search finds; `rows` is the first of them. */
  found: number;
  /** What the caller's draft does to the list. */
  change: string | null;
  /** What it drops; null for allow, which drops nothing. */
  hits: RuleHits | null;
};
