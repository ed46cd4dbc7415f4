"use client";

import { useTransition } from "react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Time } from "@/components/ui/time";
import type { SessionRow } from "@/lib/core/api/people";
import { browserWords } from "./browser-words";

type SessionItemsProps = {
  sessions: readonly SessionRow[];
  /** Ends one; shows its own failure. */
  end: (sessionId: string) => Promise<void>;
};

/** Where somebody is signed in, the latest first. */
export function SessionItems({ sessions, end }: SessionItemsProps) {
  if (sessions.length === 0) return <p className="text-muted">Signed in nowhere.</p>;
  return (
    <ul className="divide-y rounded-lg border bg-surface">
      {sessions.map((session) => (
        <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
          <span className="min-w-0 flex-1 basis-56">
            <span className="flex flex-wrap items-center gap-2 font-medium">
              <span title={session.userAgent ?? ""}>{browserWords(session.userAgent)}</span>
              {session.current && <Badge tone="accent">this one</Badge>}
            </span>
            <span className="block text-sm text-muted">
              {session.ip ?? "address not known"}, signed in{" "}
              <Time at={session.createdAt} format="datetime" />
            </span>
          </span>
          <EndButton session={session} end={end} />
        </li>
      ))}
    </ul>
  );
}

function EndButton({ session, end }: { session: SessionRow } & Pick<SessionItemsProps, "end">) {
  const [pending, startTransition] = useTransition();
  return (
    <Button
      size="sm"
      pending={pending}
      pendingLabel="Ending…"
      aria-label={`End the session of ${browserWords(session.userAgent)} at ${session.ip ?? "no address"}`}
      onClick={() => startTransition(() => end(session.id))}
    >
      End
    </Button>
  );
}
