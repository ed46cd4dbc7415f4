"use client";

import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { cn } from "@/components/ui/cn";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { Select } from "@/components/ui/select";
import { UserText } from "@/components/ui/user-text";
import { compareAmounts } from "@/lib/core/amount-compare";
import {
  type Amount,
  AmountSchema,
  amountFor,
  amountsOf,
  amountWords,
  type Limit,
  RATE_MAX,
} from "@/lib/core/limit";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { tidyDuration } from "./duration-input";
import { type Path, valueAt } from "./object-path";
import { useRuleForm } from "./rule-form";
import { numberAt, textAt } from "./rule-input";

type AmountRowProps = {
  path: Path;
  name: string;
  note: string;
  /** Whose amount it is; null is the default. */
  plan: string | null;
};

type Kind = "none" | "rate" | "unlimited";

const LOUD_FACTOR = 10;

/** Three controls side by side; what is wrong with one of them stands below, over the whole width. */
const amountGrid =
  "grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)] gap-2 [&>div>.text-danger]:order-last [&>div>.text-danger]:col-span-3";

/** One plan's amount: not set, unlimited, or so many per interval. */
export function AmountRow({ path, name, note, plan }: AmountRowProps) {
  const form = useRuleForm();
  const value = valueAt(form.input, path);
  const kind: Kind = value === undefined ? "none" : value === "unlimited" ? "unlimited" : "rate";
  const rate = numberAt(form.input, [...path, "rate"]);
  const burst = numberAt(form.input, [...path, "burst"]);
  const [isBurstOwn, setBurstOwn] = useState(burst !== rate);

  const setKind = (next: Kind) => {
    if (next === kind) return;
    setBurstOwn(false);
    const start =
      plan === null ? undefined : defaultRate(valueAt(form.input, ["limit", "default"]));
    if (next === "rate") form.set(path, start ?? { rate: 60, per: "1m", burst: 60 });
    else form.set(path, next === "none" ? undefined : "unlimited");
  };
  const setRate = (next: number | null) => {
    const old = valueAt(form.input, path);
    const follows = !isBurstOwn ? { burst: next } : {};
    form.set(path, { ...Object(old), rate: next, ...follows });
  };

  return (
    <fieldset
      aria-label={name}
      className="grid items-start gap-x-3 gap-y-2 border-t px-4 py-2.5 first:border-t-0 sm:px-3 md:grid-cols-[minmax(7rem,1fr)_8.5rem_minmax(0,23rem)]"
    >
      <div className="min-w-0 md:pt-1">
        <UserText truncate className="block font-medium">
          {name}
        </UserText>
        <span className="block truncate text-sm text-muted">{note}</span>
      </div>
      <Select
        aria-label={`${name}: limit`}
        value={kind}
        onValueChange={setKind}
        options={[
          { value: "rate", label: "Limited" },
          { value: "unlimited", label: "Unlimited" },
          { value: "none", label: plan === null ? "No limit" : "As the others" },
        ]}
      />
      {kind === "rate" ? (
        <div className={amountGrid}>
          <Field
            label={`${name}: requests`}
            hideLabel
            className="contents"
            error={form.errorAt([...path, "rate"])}
          >
            <NumberInput
              className="min-w-0 **:[button]:hidden"
              min={0}
              max={RATE_MAX}
              value={rate}
              onValueChange={setRate}
              aria-label={`${name}: requests`}
            />
          </Field>
          <Field
            label={`${name}: per`}
            hideLabel
            className="contents"
            error={form.errorAt([...path, "per"])}
          >
            <Prefixed prefix="per">
              <Input
                code
                className="ps-9"
                aria-label={`${name}: per`}
                value={textAt(form.input, [...path, "per"])}
                onValueChange={(text) => form.set([...path, "per"], text)}
                onBlur={(event) => {
                  const tidy = tidyDuration(event.target.value);
                  if (tidy !== event.target.value) form.set([...path, "per"], tidy);
                }}
              />
            </Prefixed>
          </Field>
          <Field
            label={`${name}: burst`}
            hideLabel
            className="contents"
            error={form.errorAt([...path, "burst"])}
          >
            <Prefixed prefix="burst">
              <NumberInput
                className="min-w-0 **:[button]:hidden [&_input]:ps-12"
                min={0}
                max={RATE_MAX}
                value={burst}
                aria-label={`${name}: burst`}
                onValueChange={(next) => {
                  setBurstOwn(true);
                  form.set([...path, "burst"], next);
                }}
              />
            </Prefixed>
          </Field>
        </div>
      ) : (
        <p className="text-sm text-muted md:pt-1.5">
          {kind === "unlimited" ? "This rule never refuses it." : unsetWords(plan, form.input)}
        </p>
      )}
      <WasNote amount={value} plan={plan} />
    </fieldset>
  );
}

function Prefixed({ prefix, children }: { prefix: string; children: React.ReactNode }) {
  return (
    <div className="relative">
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 start-2.5 z-10 flex items-center text-sm text-muted"
      >
        {prefix}
      </span>
      {children}
    </div>
  );
}

/** What is live now, when it differs: a typo must be impossible to miss. */
function WasNote({ amount, plan }: { amount: unknown; plan: string | null }) {
  const { live, input } = useRuleForm();
  if (live === null) return null;
  // What comes from the default on both sides is said once, at the default.
  if (amount === undefined && plan !== null && !hasOwn(live.limit, plan)) return null;
  const before =
    plan === null ? (amountsOf(live.limit).default ?? null) : amountFor(live.limit, plan);
  const after = effective(amount, plan, input);
  if (after === undefined) return null;
  const { direction, factor, words } = compareAmounts(before, after);
  if (direction === "same") return null;
  const isLoud = factor >= LOUD_FACTOR;
  return (
    <p
      className={cn(
        "text-sm md:col-span-2 md:col-start-2",
        direction === "looser"
          ? "text-success"
          : direction === "mixed"
            ? "text-warning"
            : "text-danger",
        isLoud && "font-semibold",
      )}
    >
      {isLoud && <TriangleAlert aria-hidden className="me-1 mb-0.5 inline size-3.5" />}
      was {before === null ? "no limit" : amountWords(before)}: {words}
    </p>
  );
}

function hasOwn(limit: Limit, plan: string): boolean {
  const { perPlan, anonymous } = amountsOf(limit);
  if (Object.hasOwn(perPlan, plan)) return true;
  return plan === ANONYMOUS_PLAN && anonymous !== undefined;
}

/** What the plan gets by what is typed; undefined while that is not valid. */
function effective(
  amount: unknown,
  plan: string | null,
  input: Record<string, unknown>,
): Amount | null | undefined {
  const own = amount ?? (plan === null ? undefined : valueAt(input, ["limit", "default"]));
  if (own === undefined) return null;
  const result = AmountSchema.safeParse(own);
  return result.success ? result.data : undefined;
}

function unsetWords(plan: string | null, input: Record<string, unknown>): string {
  const given = valueAt(input, ["limit", "default"]);
  if (plan === null || given === undefined) return "This rule does not limit it.";
  const result = AmountSchema.safeParse(given);
  return result.success
    ? `As every other plan: ${amountWords(result.data)}`
    : "As every other plan";
}

function defaultRate(value: unknown): Amount | undefined {
  const result = AmountSchema.safeParse(value);
  return result.success && result.data !== "unlimited" ? result.data : undefined;
}
