"use client";

import { useId, useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Badge, type Tone } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import { ObjectChanges } from "@/components/versions/object-changes";
import type { ChangeRequestRow } from "@/lib/core/api/change-requests";
import type { ApprovalActions } from "./approval-actions";

type ChangeRequestProps = {
  row: ChangeRequestRow;
  isOwn: boolean;
  actions: ApprovalActions;
};

const TONES: Record<ChangeRequestRow["state"], Tone> = {
  open: "accent",
  approved: "success",
  rejected: "danger",
  withdrawn: "neutral",
};

/** One request: who wants what, why it needs a second person, and the answer. */
export function ChangeRequest({ row, isOwn, actions }: ChangeRequestProps) {
  const titleId = useId();
  return (
    <section
      id={row.id}
      aria-labelledby={titleId}
      className="min-w-0 scroll-mt-16 rounded-lg border bg-surface"
    >
      <header className="flex flex-col gap-1 px-4 pt-3 pb-2.5">
        <div className="flex flex-wrap items-center gap-2">
          <h2 id={titleId} className="min-w-0 break-words text-base font-semibold">
            <UserText>{row.message}</UserText>
          </h2>
          <Badge tone={TONES[row.state]}>{row.state}</Badge>
        </div>
        <p className="text-sm text-muted">
          <UserText>{row.actor.name}</UserText>, <Time at={row.createdAt} format="datetime" />, on v
          {row.baseVersion}
          {row.acknowledgeGaps && "; knows that evidence is missing"}
        </p>
        <ul className="text-sm">
          {row.because.map(({ rule, why }) => (
            <li key={rule}>
              <UserText code>{rule}</UserText>: <UserText>{why}</UserText>
            </li>
          ))}
        </ul>
      </header>
      <div className="border-t">
        <ObjectChanges objects={row.changes} empty="Nothing differs from its base." />
      </div>
      <footer className="border-t px-4 py-3">
        {row.state === "open" ? (
          <Answer row={row} isOwn={isOwn} actions={actions} />
        ) : (
          <Outcome row={row} />
        )}
      </footer>
    </section>
  );
}

function Outcome({ row }: { row: ChangeRequestRow }) {
  return (
    <p className="text-sm text-muted">
      {row.state} by <UserText>{row.decidedBy?.name ?? ""}</UserText>
      {row.decidedAt !== null && (
        <>
          , <Time at={row.decidedAt} format="datetime" />
        </>
      )}
      {row.reason !== "" && (
        <>
          : <UserText>{row.reason}</UserText>
        </>
      )}
      {row.version !== null && (
        <>
          {" "}
          as <TextLink href={`/versions/${row.version}`}>v{row.version}</TextLink>
        </>
      )}
    </p>
  );
}

function Answer({ row, isOwn, actions }: ChangeRequestProps) {
  const [isRejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState("");
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const run = (work: () => Promise<{ ok: true } | { ok: false; message: string }>) =>
    startTransition(async () => {
      const result = await work();
      setError(result.ok ? undefined : result.message);
    });
  return (
    <div className="flex flex-col gap-2">
      {row.outdated !== null && (
        <Banner tone="warning" title="It can no longer be approved">
          {row.outdated}.
        </Banner>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          disabled={row.outdated !== null}
          refused={row.refused ?? undefined}
          pending={pending}
          pendingLabel="Approving…"
          onClick={() =>
            run(() => callAction(actions.approve, { id: row.id, contentHash: row.contentHash }))
          }
        >
          Approve and publish
        </Button>
        <PermittedButton needs="publish" onClick={() => setRejecting(true)}>
          Reject…
        </PermittedButton>
        {isOwn && (
          <Button onClick={() => run(() => callAction(actions.withdraw, { id: row.id }))}>
            Withdraw
          </Button>
        )}
      </div>
      {row.refused !== null && <p className="text-sm text-muted">{row.refused}.</p>}
      <FormError>{error}</FormError>
      <ConfirmDialog
        open={isRejecting}
        onOpenChange={setRejecting}
        title="Reject the change"
        description="Nothing goes live. Its author sees the reason, and may ask again."
        confirmLabel="Reject"
        disabled={reason.trim() === ""}
        onConfirm={async () => {
          const result = await callAction(actions.reject, { id: row.id, reason });
          return result.ok ? undefined : { error: result.message };
        }}
      >
        <Field label="Reason">
          <Input value={reason} maxLength={500} onValueChange={setReason} />
        </Field>
      </ConfirmDialog>
    </div>
  );
}
