"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";
import { z } from "zod";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { formatMs } from "@/components/ui/format";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { type StreamStatus, useEventStream } from "@/components/ui/use-event-stream";
import { UserText } from "@/components/ui/user-text";
import { LIVE_PATH, type Live, LiveSchema } from "./live";
import { CHANGE_EVENT, OverviewProvider } from "./live-overview";
import { Shell } from "./shell";
import type { ShellProps } from "./shell-data";

type LiveShellProps = Pick<ShellProps, "signOut" | "children"> & {
  live: Live;
  user: ShellProps["user"] & { id: string };
};

/** One broken connection is a hiccup, such as a console that is replaced; two in a row are worth a line. */
const FAILURES_SHOWN = 2;
const REGAINED_SHOWN_MS = 6_000;
const EVENTS = ["state", "change", "trouble"];
const TroubleSchema = z.object({ detail: z.string() });

/** The frame, kept true while a page stays open: alerts, the fleet, and what other people publish. */
export function LiveShell({ live: rendered, user, signOut, children }: LiveShellProps) {
  const router = useRouter();
  const [heard, setHeard] = useState<Live>();
  const [base, setBase] = useState(rendered);
  const [trouble, setTrouble] = useState<string>();
  const [changes] = useState(() => new EventTarget());
  const [dismissed, setDismissed] = useState(rendered.latest.version);
  const [, startTransition] = useTransition();

  // A page rendered anew knows at least as much as the last event.
  if (base !== rendered) {
    setBase(rendered);
    setHeard(undefined);
  }
  const live = heard ?? rendered;

  const status = useEventStream(LIVE_PATH, {
    events: EVENTS,
    enabled: true,
    onEvent: (event, data) => {
      if (event === "trouble") setTrouble(TroubleSchema.parse(data).detail);
      if (event !== "state" && event !== "change") return;
      setTrouble(undefined);
      changes.dispatchEvent(new Event(CHANGE_EVENT));
      if (event !== "state") return;
      const next = LiveSchema.parse(data);
      setHeard(next);
      const { version, draftChanges } = next.overview;
      const isNews =
        version !== live.overview.version || draftChanges !== live.overview.draftChanges;
      if (isNews) startTransition(() => router.refresh());
    },
  });

  const { latest } = live;
  const isOthers = latest.actor.id !== user.id || latest.actor.type !== "user";
  return (
    <OverviewProvider value={live.overview} changes={changes}>
      <Shell {...live.overview} user={user} signOut={signOut}>
        {status.state === "ended" && (
          <Notice tone="warning" title="Your session has ended">
            <SignInAgain />
          </Notice>
        )}
        <Connection status={status} trouble={trouble} />
        {isOthers && latest.version > dismissed && (
          <Notice
            tone="info"
            title={
              <>
                <UserText>{latest.actor.name}</UserText> published v{latest.version}{" "}
                <Time at={latest.createdAt} show="age" />
              </>
            }
            actions={
              <>
                <ButtonLink size="sm" href={`/versions/${latest.version}`}>
                  What changed
                </ButtonLink>
                <Button size="sm" variant="ghost" onClick={() => setDismissed(latest.version)}>
                  Dismiss
                </Button>
              </>
            }
          >
            <UserText>{latest.message}</UserText>
          </Notice>
        )}
        {children}
      </Shell>
    </OverviewProvider>
  );
}

function Notice(props: Parameters<typeof Banner>[0]) {
  return (
    <div className="mb-4">
      <Banner {...props} />
    </div>
  );
}

function SignInAgain() {
  const next =
    typeof window === "undefined" ? "" : window.location.pathname + window.location.search;
  return (
    <>
      What you see stays as it was.{" "}
      <TextLink href={`/sign-in?next=${encodeURIComponent(next)}`}>Sign in again</TextLink>
    </>
  );
}

type Lost = { since: number; until?: number };

/** Says when the page no longer follows what happens, and when it does again. */
function Connection({ status, trouble }: { status: StreamStatus; trouble: string | undefined }) {
  const [lost, setLost] = useState<Lost>();
  const isLost = status.state === "lost" && status.failures >= FAILURES_SHOWN;
  if (isLost && (lost === undefined || lost.until !== undefined)) setLost({ since: status.since });
  if (status.state === "live" && lost !== undefined && lost.until === undefined)
    setLost({ ...lost, until: Date.now() });
  const isRegained = lost?.until !== undefined;
  useEffect(() => {
    if (!isRegained) return;
    const timer = setTimeout(() => setLost(undefined), REGAINED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isRegained]);

  if (isLost)
    return (
      <Notice tone="danger" title="The console does not answer">
        What you see is as it was at <Time at={status.since} format="time" show="absolute" />.
        Gateways go on by themselves. Asking again.
      </Notice>
    );
  if (trouble !== undefined)
    return (
      <Notice tone="danger" title="The console cannot read what is going on">
        <UserText>{trouble}</UserText>. Gateways go on by themselves. Asking again.
      </Notice>
    );
  if (lost?.until === undefined) return null;
  return (
    <Notice tone="success" title="The console answers again">
      It did not for {formatMs(lost.until - lost.since)}; what you see is as it is now.
    </Notice>
  );
}
