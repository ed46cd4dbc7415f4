"use client";

import { CircleOff, Ellipsis, Eye, Pencil, ShieldCheck, Trash2, Undo2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { type Action, callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { ButtonLink } from "@/components/ui/link";
import { Menu, MenuItem } from "@/components/ui/menu";
import { UserText } from "@/components/ui/user-text";
import type { DraftWriteResult } from "@/lib/core/api/draft";
import type { RuleActions, RuleDialogKind, RuleSubject } from "./rule-actions-data";
import { RuleDialog } from "./rule-dialog";

type RuleHeaderActionsProps = {
  rule: RuleSubject;
  actions: RuleActions;
  remove: Action<{ id: string }, DraftWriteResult>;
  /** The reader's draft deletes it already. */
  isDeleted: boolean;
};

export function RuleHeaderActions({ rule, actions, remove, isDeleted }: RuleHeaderActionsProps) {
  const router = useRouter();
  const [kind, setKind] = useState<RuleDialogKind | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const isFirst = rule.revision === 1;
  return (
    <>
      {rule.mode !== "enforce" && (
        <Button variant="primary" onClick={() => setKind("enforce")}>
          <ShieldCheck aria-hidden /> Enforce…
        </Button>
      )}
      {rule.mode !== "shadow" && (
        <Button onClick={() => setKind("shadow")}>
          <Eye aria-hidden /> To shadow…
        </Button>
      )}
      {!isFirst && (
        <Button onClick={() => setKind("rollback")}>
          <Undo2 aria-hidden /> Roll back…
        </Button>
      )}
      <ButtonLink href={`/rules/${encodeURIComponent(rule.id)}/edit`}>
        <Pencil aria-hidden /> Edit
      </ButtonLink>
      <Menu
        trigger={
          <Button size="icon" aria-label="More actions">
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        {rule.mode !== "off" && (
          <MenuItem onSelect={() => setKind("off")}>
            <CircleOff aria-hidden /> Turn off…
          </MenuItem>
        )}
        <MenuItem tone="danger" disabled={isDeleted} onSelect={() => setDeleting(true)}>
          <Trash2 aria-hidden /> {isDeleted ? "Deleted in your draft" : "Delete in draft…"}
        </MenuItem>
      </Menu>
      <RuleDialog dialog={kind && { kind, rule }} actions={actions} onClose={() => setKind(null)} />
      <ConfirmDialog
        open={isDeleting}
        onOpenChange={setDeleting}
        title={
          <>
            Delete <UserText>{rule.name}</UserText>
          </>
        }
        description="It is taken out in your draft. Gateways keep it until you publish, and its history stays: it can be rolled back to."
        confirmLabel="Delete in draft"
        pendingLabel="Deleting in draft…"
        tone="danger"
        onConfirm={async () => {
          const result = await callAction(remove, { id: rule.id });
          if (!result.ok) return { error: result.message };
          router.push("/draft");
          return undefined;
        }}
      />
    </>
  );
}
