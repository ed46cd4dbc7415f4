"use client";

import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { FormError } from "@/components/ui/field";
import { Status } from "@/components/ui/status";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { WebhookDeliveryRow, WebhookRow } from "@/lib/core/api/webhooks";

export type Redeliver = Action<{ id: string; delivery: string }, WebhookDeliveryRow>;

const events: Record<WebhookDeliveryRow["event"], string> = {
  "alert.raised": "raised",
  "alert.resolved": "over",
  "alert.acknowledged": "acknowledged",
  test: "test",
};
const tones = { waiting: "warning", delivered: "success", failed: "danger" } as const;

type LogProps = { channel: WebhookRow; redeliver: Redeliver };

/** The last deliveries, newest first. */
export function DeliveryLog({ channel, redeliver }: LogProps) {
  const { name, deliveries } = channel;
  if (deliveries.length === 0)
    return <p className="border-t px-4 py-3 text-sm text-muted">Nothing has been sent yet.</p>;
  return (
    <div className="border-t">
      <Table label={`Deliveries to ${name}`} stack framed={false}>
        <TableHead>
          <Tr>
            <Th>What</Th>
            <Th>State</Th>
            <Th align="end">Attempts</Th>
            <Th>Last answer</Th>
            <Th>Next try</Th>
            <Th>Again</Th>
          </Tr>
        </TableHead>
        <TableBody>
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              channel={channel}
              delivery={delivery}
              redeliver={redeliver}
            />
          ))}
        </TableBody>
      </Table>
    </div>
  );
}

type RowProps = LogProps & { delivery: WebhookDeliveryRow };

function DeliveryRow({ channel, delivery, redeliver }: RowProps) {
  const { id, event, message, state, attempts, createdAt, nextAt, lastStatus, lastAnswer } =
    delivery;
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  return (
    <Tr>
      <RowHead className="max-w-md">
        <div>
          <span className="block break-words">
            {events[event]}: <UserText>{message}</UserText>
          </span>
          <span className="block font-normal text-muted">
            <Time at={createdAt} format="datetime" />
          </span>
        </div>
      </RowHead>
      <Td label="State">
        <Status tone={tones[state]}>{state}</Status>
      </Td>
      <Td label="Attempts" align="end">
        {attempts}
      </Td>
      <Td label="Last answer" className="max-w-xs">
        <span className="min-w-0 wrap-anywhere">
          {lastStatus ?? (lastAnswer === null ? "none yet" : "no answer")}
          {lastAnswer !== null && lastAnswer !== "" && (
            <>
              {": "}
              <UserText>{lastAnswer}</UserText>
            </>
          )}
        </span>
      </Td>
      <Td label="Next try">
        {nextAt === null ? <span className="text-muted">none</span> : <Time at={nextAt} />}
      </Td>
      <Td label="Again">
        <PermittedButton
          needs="webhooks"
          size="sm"
          aria-label={`Send ${id} again`}
          disabled={!channel.enabled}
          pending={pending}
          pendingLabel="Sending…"
          onClick={() =>
            startTransition(async () => {
              const result = await callAction(redeliver, { id: channel.id, delivery: id });
              setError(result.ok ? undefined : result.message);
            })
          }
        >
          Send again
        </PermittedButton>
        <FormError>{error}</FormError>
      </Td>
    </Tr>
  );
}
