"use client";

import { Pencil, RotateCcw } from "lucide-react";
import { useState, useTransition } from "react";
import { stringify } from "yaml";
import { FieldDiffs } from "@/components/rules/field-diffs";
import { PermittedButton, PermittedLink } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Badge, type Tone } from "@/components/ui/badge";
import { cn } from "@/components/ui/cn";
import { CodeBlock } from "@/components/ui/code-block";
import { FormError } from "@/components/ui/field";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { ObjectChange } from "@/lib/core/api/change";
import type { DraftChange } from "@/lib/core/api/draft";
import { type DraftActions, draftObjectKey } from "./draft-actions-data";

type DraftChangeCardProps = {
  change: DraftChange;
  revert: DraftActions["revert"];
  /** It was saved a moment ago, and the reader comes from there. */
  isJustSaved: boolean;
};

const ops: Record<ObjectChange["op"], { word: string; tone: Tone }> = {
  added: { word: "added", tone: "success" },
  changed: { word: "changed", tone: "accent" },
  removed: { word: "removed", tone: "danger" },
};

/** One object of the draft: what becomes different, field by field. */
export function DraftChangeCard({ change, revert, isJustSaved }: DraftChangeCardProps) {
  const { kind, id, before, after, diff } = change;
  const { op, sentence, loud, countersRestart } = change.change;
  return (
    <section
      id={draftObjectKey(change)}
      aria-label={`${kind} ${id}`}
      className={cn(
        "min-w-0 scroll-mt-16 rounded-lg border bg-surface",
        isJustSaved && "border-accent",
      )}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="min-w-0">
          <h2 className="flex flex-wrap items-center gap-2 text-base font-semibold">
            <span>
              {kind === id ? "" : `${kind} `}
              <UserText code>{id}</UserText>
            </span>
            <Badge tone={ops[op].tone}>{ops[op].word}</Badge>
            {countersRestart && <Badge tone="danger">counters restart</Badge>}
          </h2>
          {op !== "changed" && (
            <p className={cn("max-w-prose text-sm", loud ? "font-semibold" : "text-muted")}>
              <UserText>{sentence}</UserText>
            </p>
          )}
          <p className="text-sm text-muted">
            Saved <Time at={change.updatedAt} show="age" />
          </p>
        </div>
        <Buttons change={change} revert={revert} />
      </header>
      {op === "changed" && <FieldDiffs label={`Changes of ${id}`} diffs={diff} framed={false} />}
      <details className="border-t px-4 py-2">
        <summary className="w-fit rounded-md text-sm text-muted hover:text-text">
          {op === "changed" ? "Both as YAML" : "As YAML"}
        </summary>
        <div className="mt-2 mb-2 grid gap-3 lg:grid-cols-2">
          {before !== null && <CodeBlock label={`${id} before`} code={yamlOf(before)} />}
          {after !== null && <CodeBlock label={`${id} after`} code={yamlOf(after)} />}
        </div>
      </details>
    </section>
  );
}

function Buttons({ change, revert }: Pick<DraftChangeCardProps, "change" | "revert">) {
  const { kind, id, op, edit } = change;
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex flex-wrap gap-2">
        {kind === "rule" && op === "put" && (
          <PermittedLink needs="draft" size="sm" href={`/rules/${encodeURIComponent(id)}/edit`}>
            <Pencil aria-hidden /> Edit
          </PermittedLink>
        )}
        {kind === "lists" && (
          <PermittedLink needs="draft" size="sm" href={`/lists#${id}`}>
            <Pencil aria-hidden /> Edit
          </PermittedLink>
        )}
        <PermittedButton
          needs="draft"
          size="sm"
          pending={pending}
          pendingLabel="Reverting…"
          aria-label={`Revert ${kind} ${id}`}
          onClick={() =>
            startTransition(async () => {
              const result = await callAction(revert, { kind, id, edit });
              setError(result.ok ? undefined : result.message);
            })
          }
        >
          <RotateCcw aria-hidden /> Revert
        </PermittedButton>
      </div>
      <FormError>{error}</FormError>
    </div>
  );
}

function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}
