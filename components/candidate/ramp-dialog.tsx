"use client";

import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field, FieldGroup } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { IconButton } from "@/components/ui/icon-button";
import { Input } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { UserText } from "@/components/ui/user-text";
import { shareOfPlan } from "@/lib/core/candidate";
import { durationSeconds } from "@/lib/core/duration";
import type { CandidateActions, CandidateSubject } from "./candidate-actions-data";
import { CandidateDialog } from "./candidate-dialog";
import { CandidateForm } from "./candidate-form";

type RampDialogProps = {
  subject: CandidateSubject;
  actions: CandidateActions;
  onClose: () => void;
};

type Step = { key: number; share: number; hold: string };

const USUAL = [1, 10, 50, 100];
const STEPS_MAX = 20;

/** A share that rises by itself, each step held for a time and by the guardrail. */
export function RampDialog({ subject, actions, onClose }: RampDialogProps) {
  const { environment, fleet } = useOverview();
  const { id, name, sentence } = subject;
  const now = shareNow(subject);
  const [steps, setSteps] = useState<Step[]>(() =>
    USUAL.filter((share) => share > now).map((share) => ({ key: share, share, hold: "30m" })),
  );
  const change = (key: number, fields: Partial<Step>) =>
    setSteps(steps.map((step) => (step.key === key ? { ...step, ...fields } : step)));
  return (
    <CandidateDialog
      ruleId={id}
      title={
        <>
          Ramp the candidate of <UserText>{name}</UserText>
        </>
      }
      description={<UserText>{sentence}</UserText>}
      confirm={({ version }) =>
        `Begin with ${steps[0]?.share ?? 0} % as v${version + 1} in ${environment} on ${formatPlural(fleet.live, "gateway")}`
      }
      pendingLabel="Beginning…"
      rollbackVersion={actions.rollbackVersion}
      onClose={onClose}
      form={({ onVersion, ...form }) => (
        <CandidateForm
          {...form}
          because={form.preview.needs.share}
          problem={problemOf(steps, now)}
          note="Each step is a version of its own, made as you. It waits while the guardrail holds or evidence is missing, and the ramp stops, with an alert, when anybody changes the rule, its candidate or its share."
          send={(said) =>
            callAction(actions.startRamp, {
              id,
              ...said,
              steps: steps.map(({ share, hold }, i) =>
                i === steps.length - 1 ? { share } : { share, hold },
              ),
            })
          }
          onDone={(ramp) => onVersion(ramp.steps[0]?.version ?? form.preview.version + 1)}
        >
          {form.preview.approvalRequired && (
            <Banner tone="warning" title="No ramp can start here">
              A second person must approve each step, so no step is taken by itself. Set the shares
              one by one.
            </Banner>
          )}
          <FieldGroup legend="Steps" hint="The first is taken at once.">
            <ol className="flex flex-col gap-2">
              {steps.map((step, i) => (
                <li key={step.key} className="flex items-end gap-2">
                  <Field label={`Step ${i + 1}`} className="w-32">
                    <NumberInput
                      min={0}
                      max={100}
                      unit="%"
                      value={step.share}
                      onValueChange={(share) => change(step.key, { share: share ?? 0 })}
                    />
                  </Field>
                  {i < steps.length - 1 ? (
                    <Field
                      label={
                        <>
                          <span className="sr-only">Step {i + 1} </span>held for
                        </>
                      }
                      className="w-28"
                    >
                      <Input
                        code
                        placeholder="30m"
                        value={step.hold}
                        onValueChange={(hold) => change(step.key, { hold: hold.trim() })}
                      />
                    </Field>
                  ) : (
                    <span className="w-28 self-center pt-5 text-sm text-muted">the last one</span>
                  )}
                  <IconButton
                    label={`Remove step ${i + 1}`}
                    disabled={steps.length <= 2}
                    icon={<X aria-hidden />}
                    onClick={() => setSteps(steps.filter(({ key }) => key !== step.key))}
                  />
                </li>
              ))}
            </ol>
            <Button
              className="self-start"
              disabled={steps.length >= STEPS_MAX}
              onClick={() => setSteps([...steps, next(steps)])}
            >
              <Plus aria-hidden /> Another step
            </Button>
          </FieldGroup>
        </CandidateForm>
      )}
    />
  );
}

/** The most that any plan has; a ramp of the console is for every plan alike. */
function shareNow({ share }: CandidateSubject): number {
  if (typeof share === "number") return share;
  return Math.max(0, ...Object.keys(share).map((plan) => shareOfPlan(share, plan)));
}

function next(steps: readonly Step[]): Step {
  const last = steps.at(-1);
  const key = 1 + Math.max(...steps.map((step) => step.key));
  return { key, share: Math.min(100, (last?.share ?? 0) * 2), hold: last?.hold ?? "30m" };
}

function problemOf(steps: readonly Step[], now: number): string | undefined {
  let before = now;
  for (const [i, { share, hold }] of steps.entries()) {
    if (share <= before) return `Steps must rise: step ${i + 1} is ${share} %, after ${before} %.`;
    before = share;
    if (i < steps.length - 1 && durationSeconds(hold) === null)
      return `Step ${i + 1} must be held for a duration such as 90s, 30m or 1h, got "${hold}".`;
  }
  return steps.length < 2 ? "A ramp has at least two steps: a single one is a share." : undefined;
}
