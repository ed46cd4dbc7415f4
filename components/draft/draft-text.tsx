"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { Field } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Textarea } from "@/components/ui/input";
import { ButtonLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { DraftContentResult } from "@/lib/core/api/draft-content";

type DraftTextProps = {
  /** The whole ruleset as the draft has it. */
  text: string;
  /** Of the draft that the text was read from. */
  tag: string;
  save: Action<{ text: string; tag: string }, DraftContentResult>;
  diff: Action<{ text: string }, DraftContentResult>;
};

type Problem = { message: string; errors: readonly { path: string; message: string }[] };

/** What an action's body may have, with room for what surrounds it. */
const SENT_MAX = 900_000;
const CHANGES_SHOWN = 20;

/** The other view of a draft: all of it as YAML, checked in words before it is saved. */
export function DraftText({ text, tag, save, diff }: DraftTextProps) {
  const router = useRouter();
  const [typed, setTyped] = useState(text);
  const [checked, setChecked] = useState<DraftContentResult>();
  const [problem, setProblem] = useState<Problem>();
  const [pending, startTransition] = useTransition();
  const isLarge = typed.length > SENT_MAX;
  const isSame = typed === text;

  function change(next: string) {
    setTyped(next);
    setChecked(undefined);
    setProblem(undefined);
  }

  function run(what: "check" | "save") {
    if (pending) return;
    startTransition(async () => {
      const result =
        what === "check"
          ? await callAction(diff, { text: typed })
          : await callAction(save, { text: typed, tag });
      if (!result.ok) {
        setProblem({ message: result.message, errors: result.errors ?? [] });
        return;
      }
      setProblem(undefined);
      if (what === "check") setChecked(result.data);
      else router.push("/draft");
    });
  }

  return (
    <div className="flex flex-col gap-3">
      <Field
        label="The draft as YAML"
        hint="All of it: what you take out of rules and plans is removed in your draft. JSON works, too. Ids stay as they are written."
        error={
          isLarge
            ? `This text has ${typed.length} characters, the browser sends at most ${SENT_MAX}: use headgate pull and headgate push.`
            : undefined
        }
      >
        <Textarea
          code
          dir="ltr"
          rows={Math.min(28, Math.max(18, typed.split("\n").length + 1))}
          className="leading-5"
          value={typed}
          onChange={(event) => change(event.target.value)}
        />
      </Field>
      {problem && (
        <Banner tone="danger" title={<UserText>{problem.message}</UserText>}>
          {problem.errors.length > 1 && (
            <ul>
              {problem.errors.slice(0, CHANGES_SHOWN).map(({ path, message }) => (
                <li key={`${path} ${message}`}>
                  <code className="font-mono">{path}</code>: {message}
                </li>
              ))}
            </ul>
          )}
        </Banner>
      )}
      {checked && <Checked result={checked} />}
      <div className="flex flex-wrap items-center gap-2">
        <PermittedButton
          needs="draft"
          variant="primary"
          disabled={isSame || isLarge}
          pending={pending}
          pendingLabel="One moment…"
          onClick={() => run("save")}
        >
          Save in draft
        </PermittedButton>
        <Button disabled={isSame || isLarge || pending} onClick={() => run("check")}>
          What would change?
        </Button>
        <ButtonLink href="/draft">Back to the review</ButtonLink>
        <CopyButton text={typed} label="Copy the YAML" />
      </div>
    </div>
  );
}

function Checked({ result: { objects, lint } }: { result: DraftContentResult }) {
  const errors = lint.filter(({ level }) => level === "error");
  const more = objects.length - CHANGES_SHOWN;
  return (
    <Banner
      tone={errors.length > 0 ? "danger" : objects.some(({ loud }) => loud) ? "warning" : "info"}
      title={
        objects.length === 0
          ? "Nothing would change"
          : `Saving changes ${formatPlural(objects.length, "object")} of your draft`
      }
    >
      <ul>
        {objects.slice(0, CHANGES_SHOWN).map(({ kind, id, sentence, loud }) => (
          <li key={`${kind} ${id}`} className={loud ? "font-semibold" : ""}>
            <UserText>{sentence}</UserText>
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
        {errors.map(({ id, message }) => (
          <li key={`${id} ${message}`} className="text-danger">
            {id}: {message}
          </li>
        ))}
      </ul>
    </Banner>
  );
}
