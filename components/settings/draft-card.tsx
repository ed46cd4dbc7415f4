"use client";

import { Undo2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState, useTransition } from "react";
import { PermittedButton, useRefusal } from "@/components/shell/permissions";
import { type ActionResult, callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { FormError } from "@/components/ui/field";
import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { Drafted, RevertSettings } from "./settings-actions";

type DraftCardProps = {
  kind: "settings" | "routes";
  title: string;
  description: ReactNode;
  changes: Drafted["changes"];
  isDirty: boolean;
  /** Null when what stands in the form is not valid. */
  save: () => Promise<ActionResult<unknown>> | null;
  revert: RevertSettings;
  onReset(): void;
  children: ReactNode;
};

/** A form whose saves go into the draft, with what the draft has of it already. */
export function DraftCard(props: DraftCardProps) {
  const { kind, title, description, changes, isDirty, save, revert, onReset, children } = props;
  const router = useRouter();
  const refused = useRefusal("draft");
  const [error, setError] = useState<string>();
  const [isStale, setStale] = useState(false);
  const [pending, startTransition] = useTransition();
  const run = (act: () => Promise<ActionResult<unknown>>) =>
    startTransition(async () => {
      const result = await act();
      setError(result.ok ? undefined : result.message);
      setStale(!result.ok && result.code === "conflict");
      if (result.ok) router.refresh();
    });
  return (
    <form
      noValidate
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (pending || refused !== undefined) return;
        const saving = save();
        if (saving === null) setError("Not saved: what is marked above is not valid.");
        else run(() => saving);
      }}
    >
      <Card
        title={title}
        description={description}
        actions={
          changes.length > 0 && (
            <PermittedButton
              needs="draft"
              size="sm"
              variant="ghost"
              pending={pending}
              aria-label={`Revert the ${kind} in the draft`}
              onClick={() => run(() => callAction(revert, { kind, id: kind }))}
            >
              <Undo2 aria-hidden /> Revert
            </PermittedButton>
          )
        }
        footer={
          <div className="flex flex-col gap-2 py-1">
            <FormError>{error}</FormError>
            <div className="flex flex-wrap items-center gap-2">
              <PermittedButton
                needs="draft"
                type="submit"
                variant="primary"
                disabled={!isDirty}
                pending={pending}
                pendingLabel="Saving…"
              >
                Save to draft
              </PermittedButton>
              {isDirty && (
                <Button
                  onClick={() => {
                    setError(undefined);
                    onReset();
                    if (isStale) router.refresh();
                  }}
                >
                  {isStale ? "Load what is there now" : "Undo typing"}
                </Button>
              )}
              {refused !== undefined && <span>{refused}</span>}
            </div>
          </div>
        }
      >
        {changes.length > 0 && (
          <div className="mb-4 rounded-md border bg-accent-subtle px-3 py-2 text-sm">
            <p>
              <TextLink href="/draft">In your draft</TextLink>, not live yet:
            </p>
            <ul className="list-disc ps-5">
              {changes.map(({ sentence, loud }) => (
                <li key={sentence} className={loud ? "font-semibold" : ""}>
                  <UserText>{sentence}</UserText>
                </li>
              ))}
            </ul>
          </div>
        )}
        {children}
      </Card>
    </form>
  );
}
