"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { useOverview } from "@/components/shell/live-overview";
import { useRefusal } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Field, FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import type { Draft } from "@/lib/core/api/draft";
import { EvidenceProblemSchema } from "@/lib/core/api/publish";
import { type DraftActions, draftObjectKey } from "./draft-actions-data";

type PublishFormProps = {
  draft: Draft;
  /** Findings that stop a publish. */
  errors: number;
  publish: DraftActions["publish"];
};

type Gap = { rule: string; why: readonly string[] };

const EvidenceDetails = EvidenceProblemSchema.pick({ reason: true, evidence: true });
const SEVERAL = "publish without evidence";

/** The last step: a message, and one press that makes one version. */
export function PublishForm({ draft, errors, publish }: PublishFormProps) {
  const router = useRouter();
  const { environment, fleet } = useOverview();
  const [message, setMessage] = useState("");
  const [isMessageAsked, setMessageAsked] = useState(false);
  const [typed, setTyped] = useState("");
  const [refused, setRefused] = useState<readonly Gap[]>();
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();

  const gaps: readonly Gap[] = refused ?? draft.evidence.filter(({ enough }) => !enough);
  const confirmation = gaps.length === 1 ? (gaps[0]?.rule ?? SEVERAL) : SEVERAL;
  const isAcknowledged = typed.trim() === confirmation;
  const refusal = useRefusal("publish");
  const held = draft.stale
    ? "Rebase first: somebody published since."
    : errors > 0
      ? `${formatPlural(errors, "error")} must be mended first.`
      : refusal;

  function submit() {
    if (pending || held !== undefined) return;
    setMessageAsked(true);
    if (message.trim() === "" || (gaps.length > 0 && !isAcknowledged)) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(publish, {
        message,
        baseVersion: draft.baseVersion,
        reviewed: Object.fromEntries(
          draft.changes.map((change) => [draftObjectKey(change), change.edit]),
        ),
        ...(gaps.length > 0 ? { acknowledgeGaps: true } : {}),
      });
      if (result.ok) {
        router.push(`/draft?published=${result.data.version}`);
        return;
      }
      const evidence = EvidenceDetails.safeParse(result.details);
      if (evidence.success) setRefused(evidence.data.evidence);
      else setError([result.message, ...(result.errors ?? []).map((e) => e.message)].join(". "));
      // Stale, empty, another tab: the page shows what is true now.
      router.refresh();
    });
  }

  return (
    <Card title="Publish">
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label="Message"
          hint="What this is for: others read it in versions and audit."
          error={
            isMessageAsked && message.trim() === "" ? "Say in a line what this is for." : undefined
          }
        >
          <Input
            value={message}
            maxLength={500}
            placeholder="Lower the free plan for new links"
            onValueChange={setMessage}
          />
        </Field>
        {gaps.length > 0 && (
          <Field
            label={
              <>
                Evidence is missing for {gaps.map(({ rule }) => rule).join(", ")}. Type{" "}
                <strong className="font-mono">{confirmation}</strong> to publish all the same
              </>
            }
            hint={refused?.flatMap(({ why }) => why).join("; ")}
            error={
              isMessageAsked && !isAcknowledged
                ? `Type ${confirmation}, or wait for the shadow report.`
                : undefined
            }
          >
            <Input code autoComplete="off" value={typed} onValueChange={setTyped} />
          </Field>
        )}
        <FormError>{error}</FormError>
        <Button
          type="submit"
          variant="primary"
          className="h-auto min-h-8 max-w-full self-start py-1 whitespace-normal"
          disabled={held !== undefined}
          pending={pending}
          pendingLabel="Publishing…"
        >
          Publish v{draft.currentVersion + 1} in {environment} on{" "}
          {formatPlural(fleet.live, "gateway")}
        </Button>
        {held && <p className="text-sm text-muted">{held}</p>}
      </form>
    </Card>
  );
}
