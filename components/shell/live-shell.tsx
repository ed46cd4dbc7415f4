"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { usePoll } from "@/components/ui/use-poll";
import { UserText } from "@/components/ui/user-text";
import { LIVE_PATH, type Live, LiveSchema } from "./live";
import { OverviewProvider } from "./live-overview";
import { Shell } from "./shell";
import type { ShellProps } from "./shell-data";

type LiveShellProps = Pick<ShellProps, "signOut" | "children"> & {
  live: Live;
  user: ShellProps["user"] & { id: string };
};

const POLL_MS = 1500;
/** One lost answer is a hiccup; two in a row are worth a line. */
const FAILURES_SHOWN = 2;

/** The frame, kept true while a page stays open: alerts, the fleet, and what other people publish. */
export function LiveShell({ live: rendered, user, signOut, children }: LiveShellProps) {
  const router = useRouter();
  const [polled, setPolled] = useState<Live>();
  const [base, setBase] = useState(rendered);
  const [trouble, setTrouble] = useState<{ failures: number; since: number }>();
  const [isSignedOut, setSignedOut] = useState(false);
  const [dismissed, setDismissed] = useState(rendered.latest.version);
  const [, startTransition] = useTransition();

  // A page rendered anew knows at least as much as the last answer.
  if (base !== rendered) {
    setBase(rendered);
    setPolled(undefined);
  }
  const live = polled ?? rendered;

  usePoll(
    async (signal) => {
      const answer = await ask(signal);
      if (signal.aborted) return false;
      if (answer === "signed out") setSignedOut(true);
      else if (answer === "no answer")
        setTrouble((now) => ({
          failures: (now?.failures ?? 0) + 1,
          since: now?.since ?? Date.now(),
        }));
      else {
        setTrouble(undefined);
        setPolled(answer);
        const { version, draftChanges } = answer.overview;
        const isNews =
          version !== live.overview.version || draftChanges !== live.overview.draftChanges;
        if (isNews) startTransition(() => router.refresh());
      }
      return answer !== "signed out";
    },
    { everyMs: POLL_MS, enabled: !isSignedOut },
  );

  const { latest } = live;
  const isOthers = latest.actor.id !== user.id || latest.actor.type !== "user";
  return (
    <OverviewProvider value={live.overview}>
      <Shell {...live.overview} user={user} signOut={signOut}>
        {isSignedOut && (
          <Notice tone="warning" title="Your session has ended">
            <SignInAgain />
          </Notice>
        )}
        {trouble && trouble.failures >= FAILURES_SHOWN && (
          <Notice tone="danger" title="The console does not answer">
            What you see is as it was at <Time at={trouble.since} format="time" show="absolute" />.
            Gateways go on by themselves. Asking again.
          </Notice>
        )}
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

async function ask(signal: AbortSignal): Promise<Live | "signed out" | "no answer"> {
  try {
    const response = await fetch(LIVE_PATH, { cache: "no-store", signal });
    if (response.status === 401) return "signed out";
    const read = LiveSchema.safeParse(await response.json());
    return response.ok && read.success ? read.data : "no answer";
  } catch {
    return "no answer";
  }
}
