"use client";

import { useEffect, useState } from "react";
import { type ActionResult, callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { SkeletonText } from "@/components/ui/skeleton";
import { UserText } from "@/components/ui/user-text";
import type { PlanEffects } from "@/lib/core/api/plans";
import type { PlanActions, PlanEntry } from "./plan-actions";
import { FromTo } from "./plan-effects";

type RemovePlanDialogProps = { entry: PlanEntry; actions: PlanActions; onClose: () => void };

/** Takes a plan away in the caller's draft, once nobody is on it. */
export function RemovePlanDialog({ entry, actions, onClose }: RemovePlanDialogProps) {
  const { id, customers, keys, edit } = entry;
  const name = (entry.draft ?? entry.live)?.name ?? id;
  const isUsed = keys > 0;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Delete plan <UserText>{name}</UserText>
        </>
      }
      description={
        isUsed
          ? `It is in use and cannot be deleted: ${formatPlural(customers, "customer")} with ${formatPlural(keys, "key")} on it. Move or revoke those first.`
          : "Goes into your draft: it stays until you publish. Rules that name it must be changed first."
      }
      disabled={isUsed}
      tone="danger"
      confirmLabel="Delete in my draft"
      pendingLabel="Deleting…"
      onConfirm={async () => {
        const result = await callAction(actions.remove, { id, edit });
        return result.ok ? undefined : { error: result.message };
      }}
    >
      {isUsed && (
        <TextLink href={`/keys?plan=${encodeURIComponent(id)}`}>Its keys and customers</TextLink>
      )}
      <WithoutIt id={id} preview={actions.previewRemoval} />
    </ConfirmDialog>
  );
}

type WithoutItProps = { id: string; preview: PlanActions["previewRemoval"] };

/** A plan can go by a rollback, too: then its clients get what no plan names. */
function WithoutIt({ id, preview }: WithoutItProps) {
  const [result, setResult] = useState<ActionResult<PlanEffects[]>>();

  useEffect(() => {
    let isCurrent = true;
    void callAction(preview, { id }).then((next) => {
      if (isCurrent) setResult(next);
    });
    return () => {
      isCurrent = false;
    };
  }, [id, preview]);

  if (result === undefined) return <SkeletonText lines={2} />;
  if (!result.ok) return <FormError>{result.message}</FormError>;
  const rules = result.data.flatMap((effect) => effect.rules);
  return (
    <div className="text-sm">
      <p className="font-medium">
        {rules.length === 0
          ? "Without it nobody’s limit would change."
          : "Without it a client that is still on it gets what no plan names:"}
      </p>
      <ul className="mt-1 flex flex-col gap-2">
        {rules.map((rule) => (
          <li key={rule.rule} className="flex flex-col">
            <UserText className="text-muted">{rule.name}</UserText>
            <FromTo rule={rule} />
          </li>
        ))}
      </ul>
    </div>
  );
}
