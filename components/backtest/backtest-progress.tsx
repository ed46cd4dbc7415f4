"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Card } from "@/components/ui/card";
import { FormError } from "@/components/ui/field";
import { formatCount, formatShare } from "@/components/ui/format";
import { getJson } from "@/components/ui/get-json";
import { usePoll } from "@/components/ui/use-poll";
import { type BacktestRow, BacktestRowSchema } from "@/lib/core/api/backtests";
import type { EndBacktest } from "./backtest-actions-data";

const POLL_MS = 500;

/** How far it is, until it has ended: then the page shows what it found. */
export function BacktestProgress({ first, cancel }: { first: BacktestRow; cancel: EndBacktest }) {
  const router = useRouter();
  const [row, setRow] = useState(first);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const isOn = row.state === "waiting" || row.state === "running";

  usePoll(
    async (signal) => {
      try {
        const now = await getJson(`/api/v1/backtests/${row.id}`, BacktestRowSchema, signal);
        setRow(now);
        setError(undefined);
        const goesOn = now.state === "waiting" || now.state === "running";
        if (!goesOn) router.refresh();
        return goesOn;
      } catch (cause) {
        if (!signal.aborted) setError(cause instanceof Error ? cause.message : String(cause));
        return true;
      }
    },
    { everyMs: POLL_MS, enabled: isOn },
  );

  const words =
    row.state === "waiting"
      ? "It waits for a worker."
      : `${formatCount(row.requests)} requests judged, ${formatShare(row.progress)}.`;
  return (
    <Card
      title={row.state === "waiting" ? "Waiting" : "Running"}
      actions={
        <PermittedButton
          needs="draft"
          pending={pending}
          pendingLabel="Cancelling"
          onClick={() =>
            startTransition(async () => {
              const cancelled = await callAction(cancel, { id: row.id });
              if (!cancelled.ok) setError(cancelled.message);
            })
          }
        >
          Cancel
        </PermittedButton>
      }
    >
      <div className="flex flex-col gap-2">
        <progress
          aria-label="Progress"
          max={1}
          value={row.progress}
          className="h-2 w-full overflow-hidden rounded-full accent-accent-solid [&::-moz-progress-bar]:bg-accent-solid [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent-solid"
        />
        <p className="tabular-nums text-muted">{words}</p>
        <FormError>{error}</FormError>
      </div>
    </Card>
  );
}
