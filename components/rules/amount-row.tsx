"use client";

import { TriangleAlert } from "lucide-react";
import { cn } from "@/components/ui/cn";
import { Select } from "@/components/ui/select";
import { UserText } from "@/components/ui/user-text";
import { compareAmounts, LOUD_FACTOR } from "@/lib/core/amount-compare";
import { type Amount, AmountSchema, amountFor, amountsOf, type Limit } from "@/lib/core/limit";
import { limitWords } from "@/lib/core/limit-words";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { AmountInputs } from "./amount-inputs";
import { startAmount, type Way } from "./limit-ways";
import { type Path, valueAt } from "./object-path";
import { useRuleForm } from "./rule-form";

type AmountRowProps = {
  path: Path;
  name: string;
  note: string;
  /** Whose amount it is; null is the default. */
  plan: string | null;
  way: Way;
};

type Choice = "none" | "limited" | "unlimited";

/** One plan's amount: not set, unlimited, or so many. */
export function AmountRow({ path, name, note, plan, way }: AmountRowProps) {
  const form = useRuleForm();
  const value = valueAt(form.input, path);
  const choice: Choice =
    value === undefined ? "none" : value === "unlimited" ? "unlimited" : "limited";

  const setChoice = (next: Choice) => {
    if (next === choice) return;
    const others = plan === null ? undefined : valueAt(form.input, ["limit", "default"]);
    if (next === "limited") {
      const isAmount = typeof others === "object" && others !== null;
      form.set(path, isAmount ? others : startAmount(way));
    } else form.set(path, next === "none" ? undefined : "unlimited");
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
        value={choice}
        onValueChange={setChoice}
        options={[
          { value: "limited", label: "Limited" },
          { value: "unlimited", label: "Unlimited" },
          { value: "none", label: plan === null ? "No limit" : "As the others" },
        ]}
      />
      {choice === "limited" ? (
        // Anew for each way, which has its own idea of whether the burst follows.
        <AmountInputs key={way} path={path} name={name} way={way} />
      ) : (
        <p className="text-sm text-muted md:pt-1.5">
          {choice === "unlimited" ? "This rule never refuses it." : <UnsetWords plan={plan} />}
        </p>
      )}
      <WasNote amount={value} plan={plan} />
    </fieldset>
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
      was {before === null ? "no limit" : limitWords(live.limit, before)}: {words}
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

function UnsetWords({ plan }: { plan: string | null }) {
  const { input, preview } = useRuleForm();
  const given = valueAt(input, ["limit", "default"]);
  if (plan === null || given === undefined) return "This rule does not limit it.";
  const result = AmountSchema.safeParse(given);
  return result.success && preview !== null
    ? `As every other plan: ${limitWords(preview.limit, result.data)}`
    : "As every other plan";
}
