"use client";

import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Card } from "@/components/ui/card";
import { FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { RadioGroup } from "@/components/ui/radio-group";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import { ConflictTable } from "./conflict-table";
import {
  type DraftActions,
  type DraftConflict,
  draftObjectKey,
  type PublishedSince,
} from "./draft-actions-data";

type StaleDraftProps = {
  baseVersion: number;
  currentVersion: number;
  published: readonly PublishedSince[];
  conflicts: readonly DraftConflict[];
  rebase: DraftActions["rebase"];
};

type Choice = "mine" | "theirs" | "both";

/** Somebody published since the draft began: what, whether it touches the same objects, and the way on. */
export function StaleDraft(props: StaleDraftProps) {
  const { baseVersion, currentVersion, published, conflicts, rebase } = props;
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const open = conflicts.filter((conflict) => choices[draftObjectKey(conflict)] === undefined);

  function submit() {
    setError(undefined);
    startTransition(async () => {
      const chosen = (choice: Choice) =>
        conflicts
          .filter((conflict) => choices[draftObjectKey(conflict)] === choice)
          .map(({ kind, id }) => ({ kind, id }));
      const result = await callAction(rebase, {
        seenVersion: currentVersion,
        takeTheirs: chosen("theirs"),
        takeBoth: chosen("both"),
      });
      if (!result.ok) setError(result.message);
    });
  }

  return (
    <div className="flex flex-col gap-3">
      <Banner
        tone="warning"
        title={`v${currentVersion} is live; your draft is based on v${baseVersion}`}
        actions={
          <PermittedButton
            needs="draft"
            variant="primary"
            disabled={open.length > 0}
            pending={pending}
            pendingLabel="Rebasing…"
            onClick={submit}
          >
            Rebase onto v{currentVersion}
          </PermittedButton>
        }
      >
        <ul className="mt-1 flex flex-col gap-0.5">
          {published.map((each) => (
            <li key={each.version}>
              <TextLink href={`/versions/${each.version}`}>v{each.version}</TextLink> by{" "}
              <UserText>{each.actor}</UserText>, <Time at={each.at} show="age" />:{" "}
              <UserText>{each.message}</UserText>
            </li>
          ))}
        </ul>
        <p className="mt-1">
          {conflicts.length === 0
            ? "Nothing of it touches what you changed: rebasing keeps every change of yours."
            : `${formatPlural(conflicts.length, "object")} changed on both sides. ${
                open.length > 0
                  ? `Choose below (${open.length} left), then rebase.`
                  : "You have chosen; rebase to go on."
              }`}
        </p>
        <FormError>{error}</FormError>
      </Banner>
      {conflicts.map((conflict) => (
        <ConflictCard
          key={draftObjectKey(conflict)}
          conflict={conflict}
          choice={choices[draftObjectKey(conflict)]}
          onChoose={(choice) =>
            setChoices((now) => ({ ...now, [draftObjectKey(conflict)]: choice }))
          }
        />
      ))}
    </div>
  );
}

type ConflictCardProps = {
  conflict: DraftConflict;
  choice: Choice | undefined;
  onChoose: (choice: Choice) => void;
};

function ConflictCard({ conflict, choice, onChoose }: ConflictCardProps) {
  const { kind, id, name } = conflict;
  return (
    <Card
      className="border-warning-border"
      title={
        <>
          Changed on both sides: {kind} <UserText>{name}</UserText>
        </>
      }
    >
      <ConflictTable conflict={conflict} />
      <div className="mt-3">
        <RadioGroup
          aria-label={`Which ${kind} ${name} to go on with`}
          className="sm:flex-row sm:gap-5"
          options={[
            { value: "mine", label: "Go on with mine", hint: "Publishing replaces theirs." },
            { value: "theirs", label: "Take theirs", hint: `${id} leaves your draft.` },
            {
              value: "both",
              label: "Keep both",
              hint: conflict.canBoth
                ? "Their fields and mine together: look at it again before you publish."
                : "Not here: one field was changed on both sides.",
              disabled: !conflict.canBoth,
            },
          ]}
          value={choice ?? null}
          onValueChange={onChoose}
        />
      </div>
    </Card>
  );
}
