"use client";

import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { FormError } from "@/components/ui/field";
import type { ObjectKind } from "@/lib/core/api/change";
import type { DraftWriteResult } from "@/lib/core/api/draft";

export type RevertItem = Action<
  { kind: ObjectKind; id: string; edit?: number | undefined },
  DraftWriteResult
>;

/** In place of the editor while the draft deletes the rule. */
export function RestoreDeleted(props: { id: string; edit: number; revert: RevertItem }) {
  const { id, edit, revert } = props;
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  return (
    <div className="flex flex-col gap-2">
      <Banner
        tone="warning"
        title="Your draft deletes this rule, so there is nothing to edit"
        actions={
          <PermittedButton
            needs="draft"
            pending={pending}
            pendingLabel="Keeping…"
            onClick={() =>
              startTransition(async () => {
                const result = await callAction(revert, { kind: "rule", id, edit });
                setError(result.ok ? undefined : result.message);
              })
            }
          >
            Keep the rule
          </PermittedButton>
        }
      />
      <FormError>{error}</FormError>
    </div>
  );
}
