"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { requestedOf } from "@/components/approval/approval-actions";
import { RequestedBanner } from "@/components/approval/requested-banner";
import { parseGuardrail } from "@/components/guardrail/guardrail-input";
import { GuardrailSection } from "@/components/guardrail/guardrail-section";
import { useOverview } from "@/components/shell/live-overview";
import { useRefusal } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Checkbox } from "@/components/ui/checkbox";
import { Field, FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import type { Draft } from "@/lib/core/api/draft";
import type { EnforcePreview } from "@/lib/core/api/enforce-preview";
import { EvidenceProblemSchema } from "@/lib/core/api/publish";
import { type DraftActions, draftObjectKey } from "./draft-actions-data";

type PublishFormProps = {
  draft: Draft;
  /** Findings that stop a publish. */
  errors: number;
  watch: WatchDefaults | null;
  publish: DraftActions["publish"];
  schedule: DraftActions["schedule"];
};

/** What watches what becomes stricter, unless the publish says otherwise. */
export type WatchDefaults = Pick<EnforcePreview, "guardrail" | "protectedPlans">;

type Gap = { rule: string; why: readonly string[] };

const EvidenceDetails = EvidenceProblemSchema.pick({ reason: true, evidence: true });
const SEVERAL = "publish all the same";

/** The last step: a message, and one press that makes one version. */
export function PublishForm({ draft, errors, watch, publish, schedule }: PublishFormProps) {
  const router = useRouter();
  const { environment, fleet } = useOverview();
  const [message, setMessage] = useState("");
  const [isMessageAsked, setMessageAsked] = useState(false);
  const [typed, setTyped] = useState("");
  const [isLater, setLater] = useState(false);
  const [localTime, setLocalTime] = useState("");
  const [edited, setEdited] = useState<{ guardrail: unknown }>();
  const [refused, setRefused] = useState<readonly Gap[]>();
  const [requestedId, setRequestedId] = useState<string | null>(null);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();

  const gaps: readonly Gap[] = refused ?? draft.evidence.filter(({ enough }) => !enough);
  const wide = draft.evidence.filter(({ radius }) => radius.above.length > 0);
  const asked = [...new Set([...gaps, ...wide].map(({ rule }) => rule))];
  const confirmation = asked.length === 1 ? (asked[0] ?? SEVERAL) : SEVERAL;
  const isAcknowledged = typed.trim() === confirmation;
  const refusal = useRefusal("publish");
  const held = draft.stale
    ? "Rebase first: somebody published since."
    : errors > 0
      ? `${formatPlural(errors, "error")} must be mended first.`
      : refusal;

  // Until somebody changes it, it is the default, also when the draft comes to need one.
  const wanted = edited === undefined ? (watch?.guardrail ?? null) : edited.guardrail;
  const { guardrail, errorAt } = parseGuardrail(wanted);
  const publishAt = Date.parse(localTime);
  // Evidence may be there by then; what it lacks is judged when the time comes.
  const asksToType = asked.length > 0 && (!isLater || typed !== "");

  function submit() {
    if (pending || held !== undefined) return;
    setMessageAsked(true);
    if (message.trim() === "" || (asksToType && !isAcknowledged)) return;
    if (isLater && Number.isNaN(publishAt)) return;
    if (watch !== null && guardrail === undefined) return;
    setError(undefined);
    const input = {
      message,
      baseVersion: draft.baseVersion,
      reviewed: Object.fromEntries(
        draft.changes.map((change) => [draftObjectKey(change), change.edit]),
      ),
      ...(watch === null || guardrail === undefined ? {} : { guardrail }),
      ...(asksToType && gaps.length > 0 ? { acknowledgeGaps: true } : {}),
      ...(asksToType && wide.length > 0 ? { acknowledgeRadius: true } : {}),
    };
    startTransition(async () => {
      const result = isLater
        ? await callAction(schedule, { ...input, publishAt: new Date(publishAt).toISOString() })
        : await callAction(publish, input);
      if (result.ok) {
        if ("kind" in result.data) router.push(`/draft?published=${result.data.version}`);
        else router.refresh();
        return;
      }
      const requested = requestedOf(result);
      setRequestedId(requested);
      const evidence = EvidenceDetails.safeParse(result.details);
      if (requested !== null) setError(undefined);
      else if (evidence.success) setRefused(evidence.data.evidence);
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
        {watch !== null && (
          <GuardrailSection
            form={{ value: wanted, set: (guardrail) => setEdited({ guardrail }), errorAt }}
            guardrail={guardrail}
            protectedPlans={watch.protectedPlans}
            predicted={null}
          />
        )}
        {wide.map(({ rule, radius }) => (
          <p key={rule} className="text-sm">
            <strong className="font-mono">{rule}</strong> would refuse {radius.above.join(" and ")}.
          </p>
        ))}
        {asked.length > 0 && (
          <Field
            label={
              <>
                {gaps.length > 0 &&
                  `Evidence is missing for ${gaps.map(({ rule }) => rule).join(", ")}. `}
                Type <strong className="font-mono">{confirmation}</strong> to publish all the same
                {isLater && ", or leave it empty to be refused if that is so then"}
              </>
            }
            hint={refused?.flatMap(({ why }) => why).join("; ")}
            error={
              isMessageAsked && asksToType && !isAcknowledged
                ? `Type ${confirmation}, or wait for the shadow report.`
                : undefined
            }
          >
            <Input code autoComplete="off" value={typed} onValueChange={setTyped} />
          </Field>
        )}
        <Checkbox label="Publish at a time" checked={isLater} onCheckedChange={setLater} />
        {isLater && (
          <Field
            label="When"
            hint={`Your time (${Intl.DateTimeFormat().resolvedOptions().timeZone}). It is refused if another version is live by then.`}
            error={isMessageAsked && Number.isNaN(publishAt) ? "Say when." : undefined}
          >
            <Input type="datetime-local" value={localTime} onValueChange={setLocalTime} />
          </Field>
        )}
        {requestedId !== null && <RequestedBanner id={requestedId} />}
        <FormError>{error}</FormError>
        <Button
          type="submit"
          variant="primary"
          className="h-auto min-h-8 max-w-full self-start py-1 whitespace-normal"
          disabled={held !== undefined}
          pending={pending}
          pendingLabel={isLater ? "Scheduling…" : "Publishing…"}
        >
          {isLater
            ? `Schedule for ${environment}`
            : `Publish v${draft.currentVersion + 1} in ${environment} on ${formatPlural(fleet.live, "gateway")}`}
        </Button>
        {held && <p className="text-sm text-muted">{held}</p>}
      </form>
    </Card>
  );
}
