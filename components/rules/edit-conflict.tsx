"use client";

import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { DiffTable } from "@/components/ui/diff-table";
import { diffRule } from "@/lib/core/diff-rule";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import { toDiffRow } from "./field-diffs";

export type EditConflictState = {
  message: string;
  /** Somebody published it; else another tab saved it in the draft. */
  isPublished: boolean;
  /** What there is now, to save over knowingly. */
  seen: { edit: number; baseVersion: number };
  /** What was saved there; null when the rule left the draft, or was deleted in it. */
  theirs: unknown;
  mine: Rule;
};

type EditConflictProps = {
  conflict: EditConflictState;
  /** Save mine over it, now knowingly. */
  onKeepMine: () => void;
  onTakeTheirs: (theirs: Rule) => void;
  onReload: () => void;
  pending: boolean;
};

/** Two saves of one rule: both texts, and a choice. */
export function EditConflict(props: EditConflictProps) {
  const { conflict, onKeepMine, onTakeTheirs, onReload, pending } = props;
  const theirs = RuleSchema.safeParse(conflict.theirs);
  return (
    <Banner
      tone="warning"
      title={
        conflict.isPublished
          ? `Not saved: ${conflict.message}`
          : "Not saved: this rule was saved elsewhere since you opened it"
      }
      actions={
        <>
          <Button pending={pending} variant="primary" onClick={onKeepMine}>
            Save mine over it
          </Button>
          {theirs.success ? (
            <Button disabled={pending} onClick={() => onTakeTheirs(theirs.data)}>
              Take the saved one
            </Button>
          ) : (
            <Button disabled={pending} onClick={onReload}>
              Load what is there now
            </Button>
          )}
        </>
      }
    >
      {theirs.success ? (
        <div className="mt-2 flex flex-col gap-2">
          <p>What yours would change in the saved one:</p>
          <DiffTable
            label="The saved rule and yours"
            rows={diffRule(theirs.data, conflict.mine).map(toDiffRow)}
          />
        </div>
      ) : (
        <p>{conflict.message}</p>
      )}
    </Banner>
  );
}
