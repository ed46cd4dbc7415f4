"use client";

import {
  CircleOff,
  Ellipsis,
  Eye,
  FlaskConical,
  OctagonX,
  Pencil,
  ShieldCheck,
  Trash2,
  Undo2,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { PermittedButton, PermittedLink, PermittedMenuItem } from "@/components/shell/permissions";
import { StopDialog } from "@/components/stops/stop-dialog";
import { type Action, callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Menu } from "@/components/ui/menu";
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
  const [isStopping, setStopping] = useState(false);
  const isFirst = rule.revision === 1;
  return (
    <>
      {rule.mode !== "enforce" && (
        <PermittedButton needs="publish" variant="primary" onClick={() => setKind("enforce")}>
          <ShieldCheck aria-hidden /> Enforce…
        </PermittedButton>
      )}
      {rule.mode !== "shadow" && (
        <PermittedButton needs="relax" onClick={() => setKind("shadow")}>
          <Eye aria-hidden /> To shadow…
        </PermittedButton>
      )}
      {!isFirst && (
        <PermittedButton needs="rollback" onClick={() => setKind("rollback")}>
          <Undo2 aria-hidden /> Roll back…
        </PermittedButton>
      )}
      <PermittedLink needs="draft" href={`/rules/${encodeURIComponent(rule.id)}/edit`}>
        <Pencil aria-hidden /> Edit
      </PermittedLink>
      <Menu
        trigger={
          <Button size="icon" aria-label="More actions">
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <PermittedMenuItem
          needs="draft"
          onSelect={() => router.push(`/backtest?${new URLSearchParams({ rule: rule.id })}`)}
        >
          <FlaskConical aria-hidden /> Backtest…
        </PermittedMenuItem>
        {rule.mode === "enforce" && (
          <PermittedMenuItem needs="relax" onSelect={() => setStopping(true)}>
            <OctagonX aria-hidden /> Stop for a time…
          </PermittedMenuItem>
        )}
        {rule.mode !== "off" && (
          <PermittedMenuItem needs="publish" onSelect={() => setKind("off")}>
            <CircleOff aria-hidden /> Turn off…
          </PermittedMenuItem>
        )}
        <PermittedMenuItem
          needs="draft"
          tone="danger"
          disabled={isDeleted}
          onSelect={() => setDeleting(true)}
        >
          <Trash2 aria-hidden /> {isDeleted ? "Deleted in your draft" : "Delete in draft…"}
        </PermittedMenuItem>
      </Menu>
      {isStopping && (
        <StopDialog
          rule={rule}
          stop={actions.stop}
          rollbackVersion={actions.rollbackVersion}
          onClose={() => setStopping(false)}
        />
      )}
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
