"use client";

import { useRouter } from "next/navigation";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import type { BacktestRow } from "@/lib/core/api/backtests";
import type { EndBacktest } from "./backtest-actions-data";

type DeleteProps = { row: Pick<BacktestRow, "id" | "name">; remove: EndBacktest; leave?: boolean };

export function DeleteBacktest({ row, remove, leave = false }: DeleteProps) {
  const router = useRouter();
  return (
    <ConfirmDialog
      title="Delete this backtest?"
      description="Its result goes with it. An uploaded log stays."
      confirmLabel="Delete backtest"
      pendingLabel="Deleting"
      tone="danger"
      onConfirm={async () => {
        const deleted = await callAction(remove, { id: row.id });
        if (!deleted.ok) return { error: deleted.message };
        if (leave) router.push("/backtest");
      }}
      trigger={
        <PermittedButton
          needs="draft"
          size={leave ? "md" : "sm"}
          aria-label={`Delete backtest ${row.name}`}
        >
          Delete
        </PermittedButton>
      }
    />
  );
}
