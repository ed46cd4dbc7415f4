"use client";

import { Undo2 } from "lucide-react";
import { useState, useTransition } from "react";
import { LiveConvergence } from "@/components/fleet/live-convergence";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { FormError } from "@/components/ui/field";
import type { Published } from "@/lib/core/api/publish";
import type { Convergence } from "@/lib/core/api/versions";

export type RollbackVersion = Action<
  { number: number; reason?: string; expectVersion?: number; restoreOverrides?: boolean },
  Published
>;

type PublishedVersionProps = {
  version: number;
  /** What Undo goes back to; without it there is none. */
  previous: number | null;
  initial?: Convergence;
  rollbackVersion: RollbackVersion;
};

/** A version that was just made: how far it has come, and the way back. */
export function PublishedVersion(props: PublishedVersionProps) {
  const { version, previous, initial, rollbackVersion } = props;
  const [undone, setUndone] = useState<number>();
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();

  function undo() {
    if (previous === null) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(rollbackVersion, {
        number: previous,
        reason: `undo of version ${version}`,
        expectVersion: version,
      });
      if (result.ok) setUndone(result.data.version);
      else setError(result.message);
    });
  }

  return (
    <div className="flex flex-col gap-2">
      {undone === undefined ? (
        <LiveConvergence
          version={version}
          {...(initial ? { initial } : {})}
          actions={
            previous !== null && (
              <PermittedButton
                needs="rollback"
                variant="primary"
                pending={pending}
                pendingLabel="Undoing…"
                onClick={undo}
              >
                <Undo2 aria-hidden /> Undo
              </PermittedButton>
            )
          }
        />
      ) : (
        <>
          <p className="font-medium">
            Undone: v{undone} has the content of v{previous}.
          </p>
          <LiveConvergence version={undone} />
        </>
      )}
      <FormError>{error}</FormError>
    </div>
  );
}
