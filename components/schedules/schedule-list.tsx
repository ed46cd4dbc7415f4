"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { Card } from "@/components/ui/card";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { Status, type StatusTone } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Schedule, ScheduleCancelled } from "@/lib/core/api/schedules";

export type CancelSchedule = Action<{ id: string }, ScheduleCancelled>;

const looks = {
  waiting: { tone: "pending", word: "waits" },
  published: { tone: "success", word: "published" },
  refused: { tone: "danger", word: "refused" },
  cancelled: { tone: "neutral", word: "taken back" },
} as const satisfies Record<Schedule["state"], { tone: StatusTone; word: string }>;

/** What will be published at a time, and what became of the last ones. */
export function ScheduleList({
  schedules,
  cancel,
}: {
  schedules: readonly Schedule[];
  cancel: CancelSchedule;
}) {
  const router = useRouter();
  const [asked, setAsked] = useState<Schedule>();
  return (
    <Card
      title="Scheduled"
      description="Frozen drafts. Base, evidence and rights are judged when the time comes."
      flush
    >
      <ul aria-label="Scheduled publishes" className="divide-y">
        {schedules.map((schedule) => (
          <li
            key={schedule.id}
            className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3"
          >
            <ScheduleWords schedule={schedule} />
            {(schedule.state === "waiting" || schedule.state === "refused") && (
              <PermittedButton
                needs="publish"
                size="sm"
                aria-label={`Take back ${schedule.message}`}
                onClick={() => setAsked(schedule)}
              >
                Take back…
              </PermittedButton>
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title={
          <>
            Take back <UserText>{asked?.message ?? ""}</UserText>
          </>
        }
        description="It is not published. Its changes are a draft again if you made them and your draft is empty; else they stay in the audit log."
        confirmLabel="Take it back"
        pendingLabel="Taking it back…"
        onConfirm={async () => {
          const result = await callAction(cancel, { id: asked?.id ?? "" });
          if (!result.ok) return { error: result.message };
          router.refresh();
          return undefined;
        }}
      />
    </Card>
  );
}

function ScheduleWords({ schedule }: { schedule: Schedule }) {
  const { message, publishAt, actor, changes, state, version, outcome, baseVersion } = schedule;
  const { tone, word } = looks[state];
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Status tone={tone}>{word}</Status>
        <UserText className="font-medium">{message}</UserText>
      </div>
      <p className="text-sm text-muted">
        <Time at={publishAt} format="datetime" />, by <UserText>{actor.name}</UserText>:{" "}
        {formatPlural(changes.length, "change")} on v{baseVersion}
        {version !== null && (
          <>
            , made <TextLink href={`/versions/${version}`}>v{version}</TextLink>
          </>
        )}
      </p>
      {outcome && (
        <p className={state === "published" ? "text-sm text-muted" : "text-sm text-danger"}>
          <UserText>{outcome}</UserText>
        </p>
      )}
    </div>
  );
}
