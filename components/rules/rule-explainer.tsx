"use client";

import { Card } from "@/components/ui/card";
import { cn } from "@/components/ui/cn";
import { UserText } from "@/components/ui/user-text";
import { diffRule } from "@/lib/core/diff-rule";
import { isShedder } from "@/lib/core/limit";
import { limitSentence, planLimits } from "@/lib/core/limit-sentence";
import type { Rule } from "@/lib/core/rule";
import { isStricterOrEnforced } from "@/lib/core/stricter";
import { ModeBadge } from "./mode-badge";
import { useRuleForm } from "./rule-form";

const MODE_WORDS = {
  off: "Off: it is kept, and does nothing.",
  shadow: "In shadow: requests over the limit are counted and logged, nobody is refused.",
  enforce: "Enforced: requests over the limit get 429 with Retry-After.",
} as const;

const SHEDDER_WORDS = {
  ...MODE_WORDS,
  shadow: "In shadow: what would be shed is counted and logged, nobody is refused.",
  enforce: "Enforced: what is shed gets 503 with Retry-After.",
} as const;

const FROM_WORDS = {
  perPlan: "",
  anonymous: "",
  default: "as every other plan",
  shedder: "as every other request",
  none: "",
  "not matched": "not reached by this rule",
} as const;

/** What the rule in the form would do, in words, and how it differs from what is live. */
export function RuleExplainer() {
  const { preview: rule, errors, live, plans } = useRuleForm();
  return (
    <Card title="What it does">
      {rule === null ? (
        <p className="text-muted">
          {errors.length === 1
            ? "One field is not valid yet."
            : `${errors.length} fields are not valid yet.`}{" "}
          The explanation comes back once the rule can be read.
        </p>
      ) : (
        <div className="flex flex-col gap-3">
          <p className="text-lg font-medium text-balance" aria-live="polite">
            <UserText>{limitSentence(rule)}</UserText>
          </p>
          <p className="flex flex-wrap items-center gap-2 text-sm">
            <ModeBadge mode={rule.mode} />{" "}
            {(isShedder(rule.limit) ? SHEDDER_WORDS : MODE_WORDS)[rule.mode]}
            {rule.warn === true && " A header tells the client that it would be refused."}
          </p>
          {!isShedder(rule.limit) && <Outcomes rule={rule} plans={plans} />}
          <Against live={live} rule={rule} />
        </div>
      )}
    </Card>
  );
}

function Outcomes({ rule, plans }: { rule: Rule; plans: Parameters<typeof planLimits>[1] }) {
  const nameOf = (id: string) => plans.find((plan) => plan.id === id)?.name ?? "Anonymous";
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 border-t pt-3 text-sm">
      {planLimits(rule, plans).map((row) => (
        <div key={row.plan} className="contents">
          <dt className="text-muted">
            <UserText>{nameOf(row.plan)}</UserText>
          </dt>
          <dd className={cn("tabular-nums", row.from === "not matched" && "text-muted")}>
            {row.words}
            {FROM_WORDS[row.from] !== "" && (
              <span className="text-muted"> · {FROM_WORDS[row.from]}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Against({ live, rule }: { live: Rule | null; rule: Rule }) {
  const diffs = live === null ? [] : diffRule(live, rule);
  const need = isStricterOrEnforced(live, rule);
  if (live === null && !need.needsEvidence) return null;
  if (live !== null && diffs.length === 0)
    return <p className="border-t pt-3 text-sm text-muted">Nothing differs from what is live.</p>;
  return (
    <div className="border-t pt-3 text-sm">
      {live !== null && (
        <>
          <p className="font-medium">Against what is live</p>
          <ul className="mt-1 flex list-disc flex-col gap-0.5 ps-4">
            {diffs.map((diff) => (
              <li key={diff.path} className={cn(diff.loud && "font-semibold text-danger")}>
                <UserText>{diff.sentence}</UserText>
              </li>
            ))}
          </ul>
        </>
      )}
      {need.needsEvidence && (
        <p className="mt-2 text-muted">
          Publishing this asks for evidence from shadow ({need.why}).
        </p>
      )}
    </div>
  );
}
