"use client";

import { Pause, Play, Square } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { cn } from "@/components/ui/cn";
import { FormError } from "@/components/ui/field";
import { formatMs } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { Status, type StatusTone } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Ramp } from "@/lib/core/api/ramps";
import type { RampActions } from "./candidate-actions-data";

type RampStripProps = { ramp: Ramp; actions: RampActions };

/** A ramp on the pages of its rule: where it is, when the next step is due, or why it waits. */
export function RampStrip({ ramp, actions }: RampStripProps) {
  const { rule, steps, taken, state } = ramp;
  const path = usePathname();
  const candidatePath = `/rules/${encodeURIComponent(rule)}/candidate`;
  const isOpen = state === "running" || state === "paused";
  if (!isOpen && path !== candidatePath) return null;
  return (
    <section aria-label="Ramp of the candidate" className="mb-4 rounded-lg border bg-surface">
      <div className="flex flex-wrap items-start justify-between gap-2 px-4 pt-3">
        <div className="min-w-0">
          <Status tone={toneOf(ramp)} className="whitespace-normal">
            <strong className="font-semibold">{headline(ramp)}</strong>
          </Status>
          <p className="ps-6 text-sm text-muted">
            <Detail ramp={ramp} />
          </p>
        </div>
        {isOpen && <RampButtons ramp={ramp} actions={actions} />}
      </div>
      <ol aria-label="Steps" className="flex flex-wrap gap-x-4 gap-y-1 px-4 pt-2 pb-3 text-sm">
        {steps.map(({ words, hold, version }, i) => (
          <li
            key={words}
            aria-current={i === taken - 1 ? "step" : undefined}
            className={cn(
              "flex items-baseline gap-1.5",
              i === taken - 1 ? "font-semibold" : i >= taken && "text-muted",
            )}
          >
            <span aria-hidden>{i < taken ? "●" : "○"}</span>
            {words}
            {version !== null ? (
              <TextLink href={`/versions/${version}`} className="font-normal">
                v{version}
              </TextLink>
            ) : (
              <span className="sr-only">not yet</span>
            )}
            {hold !== null && i < steps.length - 1 && (
              <span className="font-normal text-muted">for {hold}</span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function toneOf({ state, held }: Ramp): StatusTone {
  if (state === "running") return held === null ? "pending" : "warning";
  return state === "done" ? "success" : state === "cancelled" ? "neutral" : "warning";
}

function headline({ state, steps, taken, held }: Ramp): string {
  const now = steps[taken - 1]?.words ?? "no client";
  const next = steps[taken]?.words;
  switch (state) {
    case "running":
      return held === null
        ? `Ramp: ${now} now, then ${next}`
        : `Ramp held at ${now}, before ${next}`;
    case "paused":
      return `Ramp paused at ${now}, before ${next}`;
    case "done":
      return `Ramp done: ${now}`;
    case "stopped":
      return `Ramp stopped after ${now}`;
    case "cancelled":
      return `Ramp ended at ${now}`;
  }
}

function Detail({ ramp }: { ramp: Ramp }) {
  const { state, held, heldSince, nextAt, leftSeconds, outcome, endedAt, actor, reason } = ramp;
  const by = (
    <>
      {" "}
      Started by <UserText>{actor.name}</UserText>: <UserText>{reason}</UserText>
    </>
  );
  if (state === "running" && held !== null)
    return (
      <>
        {held}. Since <Time at={heldSince ?? ramp.createdAt} show="age" />; it is tried again by
        itself.
      </>
    );
  if (state === "running" && nextAt !== null)
    return (
      <>
        Next step at <Time at={nextAt} format="datetime" show="absolute" />.{by}
      </>
    );
  if (state === "paused")
    return (
      <>
        {outcome}. Once it goes on, the next step is due{" "}
        {leftSeconds === 0 ? "at once" : `after ${formatMs((leftSeconds ?? 0) * 1000)}`}.
      </>
    );
  return (
    <>
      <UserText>{outcome ?? ""}</UserText>
      {endedAt !== null && (
        <>
          , <Time at={endedAt} />
        </>
      )}
      .
    </>
  );
}

/** One press each: pausing and ending are ways back, and going on was meant already. */
function RampButtons({ ramp, actions }: RampStripProps) {
  const router = useRouter();
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const { rule: id, state } = ramp;

  function press(kind: "pause" | "resume" | "cancel") {
    setError(undefined);
    startTransition(async () => {
      const reason = "from the console";
      const result =
        kind === "pause"
          ? await callAction(actions.pauseRamp, { id, reason })
          : kind === "resume"
            ? await callAction(actions.resumeRamp, { id, reason })
            : await callAction(actions.cancelRamp, { id });
      if (result.ok) router.refresh();
      else setError(result.message);
    });
  }

  return (
    <div className="flex flex-col items-end gap-1">
      <div className="flex flex-wrap gap-2">
        {state === "running" ? (
          <PermittedButton
            needs="relax"
            size="sm"
            disabled={pending}
            onClick={() => press("pause")}
          >
            <Pause aria-hidden /> Pause
          </PermittedButton>
        ) : (
          <PermittedButton
            needs="publish"
            size="sm"
            variant="primary"
            disabled={pending}
            onClick={() => press("resume")}
          >
            <Play aria-hidden /> Go on
          </PermittedButton>
        )}
        <PermittedButton needs="relax" size="sm" disabled={pending} onClick={() => press("cancel")}>
          <Square aria-hidden /> End the ramp
        </PermittedButton>
      </div>
      <FormError>{error}</FormError>
    </div>
  );
}
