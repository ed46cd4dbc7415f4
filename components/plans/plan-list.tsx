"use client";

import { Pencil, Plus, ShieldAlert, Trash2, Undo2 } from "lucide-react";
import { useState, useTransition } from "react";
import { PermittedButton, useRefusal } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Badge } from "@/components/ui/badge";
import { cn } from "@/components/ui/cn";
import { FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { IconButton } from "@/components/ui/icon-button";
import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { PlanActions, PlanEntry } from "./plan-actions";
import { PlanDialog } from "./plan-dialog";
import { RemovePlanDialog } from "./remove-plan-dialog";

type PlanListProps = { plans: readonly PlanEntry[]; actions: PlanActions };

type Open = { kind: "edit"; entry: PlanEntry | null } | { kind: "remove"; entry: PlanEntry };

/** The plans as cards: who is on each, and what the caller's draft does to it. */
export function PlanList({ plans, actions }: PlanListProps) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const ranks = plans.map(({ live, draft }) => (draft ?? live)?.rank ?? 0);
  return (
    <>
      <ul aria-label="Plans" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {plans.map((entry) => (
          <PlanCard
            key={entry.id}
            entry={entry}
            actions={actions}
            onEdit={() => setOpen({ kind: "edit", entry })}
            onRemove={() => setOpen({ kind: "remove", entry })}
          />
        ))}
        <li className="flex min-h-32 rounded-lg border border-dashed border-border-strong">
          <PermittedButton
            needs="draft"
            variant="ghost"
            className="h-auto w-full"
            onClick={() => setOpen({ kind: "edit", entry: null })}
          >
            <Plus aria-hidden /> New plan
          </PermittedButton>
        </li>
      </ul>
      {open?.kind === "edit" && (
        <PlanDialog
          entry={open.entry}
          nextRank={Math.min(1000, Math.max(-1, ...ranks) + 1)}
          save={actions.save}
          onClose={close}
        />
      )}
      {open?.kind === "remove" && (
        <RemovePlanDialog entry={open.entry} actions={actions} onClose={close} />
      )}
    </>
  );
}

type CardProps = {
  entry: PlanEntry;
  actions: PlanActions;
  onEdit: () => void;
  onRemove: () => void;
};

function PlanCard({ entry, actions, onEdit, onRemove }: CardProps) {
  const { id, live, draft, change, customers, keys } = entry;
  const shown = draft ?? live;
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const refused = useRefusal("draft");
  const name = shown?.name ?? id;
  return (
    <li
      className={cn(
        "flex min-w-0 flex-col rounded-lg border bg-surface px-4 py-3",
        change !== null && "border-accent/50",
      )}
    >
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2">
            <UserText
              truncate
              className={cn("max-w-full font-semibold", draft === null && "line-through")}
            >
              {name}
            </UserText>
            {shown?.protected && (
              <Badge tone="warning" icon={<ShieldAlert aria-hidden />}>
                protected
              </Badge>
            )}
          </p>
          <p className="text-sm text-muted">
            <UserText code>{id}</UserText> · rank {shown?.rank ?? 0}
          </p>
        </div>
        {draft !== null && (
          <span className="-me-2 flex">
            <IconButton
              size="icon-sm"
              label={`Change plan ${name}`}
              icon={<Pencil aria-hidden />}
              refused={refused}
              onClick={onEdit}
            />
            <IconButton
              size="icon-sm"
              label={`Delete plan ${name}`}
              icon={<Trash2 aria-hidden />}
              refused={refused}
              onClick={onRemove}
            />
          </span>
        )}
      </div>
      {shown?.description && (
        <UserText className="mt-1 line-clamp-2 text-sm">{shown.description}</UserText>
      )}
      <p className="mt-auto pt-2 text-sm">
        <TextLink href={`/keys?plan=${encodeURIComponent(id)}`} prefetch={false}>
          {formatPlural(keys, "key")}
        </TextLink>{" "}
        of {formatPlural(customers, "customer")}
      </p>
      {change !== null && (
        <div className="mt-2 flex flex-wrap items-center justify-between gap-2 border-t pt-2 text-sm">
          <span className="min-w-0">
            <TextLink href="/draft">In your draft</TextLink>: <UserText>{change}</UserText>
          </span>
          <PermittedButton
            needs="draft"
            size="sm"
            variant="ghost"
            pending={pending}
            aria-label={`Revert plan ${name} in the draft`}
            onClick={() =>
              startTransition(async () => {
                const result = await callAction(actions.revert, { kind: "plan", id });
                setError(result.ok ? undefined : result.message);
              })
            }
          >
            <Undo2 aria-hidden /> Revert
          </PermittedButton>
        </div>
      )}
      <FormError>{error}</FormError>
    </li>
  );
}
