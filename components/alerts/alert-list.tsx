"use client";

import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { cn } from "@/components/ui/cn";
import { FormError } from "@/components/ui/field";
import { TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { AlertRow } from "@/lib/core/api/alerts";
import { alertHref, alertKinds, severities } from "./alert-words";

export type AcknowledgeAlert = Action<{ id: string }, AlertRow>;

type AlertListProps = {
  label: string;
  alerts: readonly AlertRow[];
  acknowledge: AcknowledgeAlert;
};

/** What is open: each with its age, who looks after it, and where to look. */
export function AlertList({ label, alerts, acknowledge }: AlertListProps) {
  return (
    <ul aria-label={label} className="flex flex-col gap-2">
      {alerts.map((alert) => (
        <AlertItem key={alert.id} alert={alert} acknowledge={acknowledge} />
      ))}
    </ul>
  );
}

type ItemProps = { alert: AlertRow; acknowledge: AcknowledgeAlert };

function AlertItem({ alert, acknowledge }: ItemProps) {
  const { id, kind, subject, severity, message, raisedAt, lastAt } = alert;
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const { tone, word } = severities[severity];
  return (
    <li
      className={cn(
        "flex flex-wrap items-start justify-between gap-x-4 gap-y-2 rounded-lg border bg-surface px-4 py-3",
        severity === "critical" && "border-danger-border bg-danger-subtle",
        severity === "warning" && "border-warning-border bg-warning-subtle",
      )}
    >
      <div className="min-w-0 flex-1 basis-80">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm">
          <Status tone={tone}>{word}</Status>
          <span className="text-muted">
            {alertKinds[kind] ?? kind} · <UserText code>{subject}</UserText>
          </span>
        </p>
        <p className="mt-0.5 break-words font-medium">
          <UserText>{message}</UserText>
        </p>
        <p className="mt-0.5 text-sm text-muted">
          open since <Time at={raisedAt} format="datetime" />, last reported{" "}
          <Time at={lastAt} show="age" />
        </p>
        <Acknowledged alert={alert} />
        <FormError>{error}</FormError>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <TextLink href={alertHref(alert)} className="text-sm">
          Where to look
        </TextLink>
        {alert.acknowledgedAt === null && (
          <PermittedButton
            needs="operate"
            size="sm"
            aria-label={`Acknowledge: ${message}`}
            pending={pending}
            pendingLabel="Acknowledging…"
            onClick={() =>
              startTransition(async () => {
                const result = await callAction(acknowledge, { id });
                setError(result.ok ? undefined : result.message);
              })
            }
          >
            Acknowledge
          </PermittedButton>
        )}
      </div>
    </li>
  );
}

function Acknowledged({ alert: { acknowledgedAt, acknowledgedBy } }: { alert: AlertRow }) {
  if (acknowledgedAt === null) return null;
  return (
    <p className="mt-0.5 text-sm">
      <UserText>{acknowledgedBy ?? "Somebody"}</UserText> looks after it since{" "}
      <Time at={acknowledgedAt} format="datetime" />
    </p>
  );
}
