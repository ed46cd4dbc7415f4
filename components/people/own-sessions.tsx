"use client";

import { useState, useTransition } from "react";
import { type Action, callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { FormError } from "@/components/ui/field";
import type { SessionRow } from "@/lib/core/api/people";
import { SessionItems } from "./session-items";

type OwnSessionsProps = {
  sessions: readonly SessionRow[];
  end: Action<{ sessionId?: string }, { ended: number }>;
};

export function OwnSessions({ sessions, end }: OwnSessionsProps) {
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  async function call(sessionId?: string) {
    const result = await callAction(end, sessionId === undefined ? {} : { sessionId });
    setError(result.ok ? undefined : result.message);
  }
  return (
    <div className="flex flex-col gap-2">
      <SessionItems sessions={sessions} end={call} />
      <FormError>{error}</FormError>
      {sessions.length > 1 && (
        <Button
          className="self-start"
          pending={pending}
          pendingLabel="Ending…"
          onClick={() => startTransition(() => call())}
        >
          End all others
        </Button>
      )}
    </div>
  );
}
