"use client";

import { useRouter } from "next/navigation";
import { useDeferredValue, useMemo, useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Badge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card, Stat, StatRow } from "@/components/ui/card";
import { Field, FormError } from "@/components/ui/field";
import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { NumberInput } from "@/components/ui/number-input";
import { Select } from "@/components/ui/select";
import type {
  BacktestAnswer,
  BacktestAnswerFigures,
  PlanDemandRow,
} from "@/lib/core/api/backtests";
import { estimateLimit } from "@/lib/core/backtest-estimate";
import { RATE_MAX, type RateLimit } from "@/lib/core/limit";
import { fieldErrors } from "@/lib/core/parse";
import { bucketOf, compileLimit } from "@/lib/core/plan-limits";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import { withPlanAmount } from "@/lib/core/with-plan-amount";
import type { CreateBacktest, UseLimit } from "./backtest-actions-data";
import { amountText } from "./backtest-words";
import { limitScale, positionOf, rateAt, SCALE_STEPS } from "./limit-scale";
import { useDemand } from "./use-demand";

type RateAmount = Exclude<PlanDemandRow["limit"], { concurrent: number }>;
export type ExploredPlan = PlanDemandRow & { limit: RateAmount };

type ExplorerProps = {
  backtest: Pick<BacktestAnswer, "id" | "ruleset" | "source" | "speed" | "replaced">;
  judged: Rule & { limit: RateLimit };
  plans: readonly ExploredPlan[];
  /** By id. */
  names: Readonly<Record<string, string>>;
  /** As it was simulated. */
  asked: BacktestAnswerFigures;
  create: CreateBacktest;
  use: UseLimit;
};

/** Another limit for one plan: estimated as the slider moves, simulated by a press, taken into the draft by another. */
export function LimitExplorer(props: ExplorerProps) {
  const { backtest, judged, plans, names, asked } = props;
  const [planId, setPlanId] = useState(plans[0]?.plan ?? "");
  const plan = plans.find((each) => each.plan === planId);
  return (
    <Card
      title="Another limit"
      description="What it would refuse of the same requests."
      actions={
        plans.length > 1 && (
          <Select
            aria-label="Plan"
            options={plans.map(({ plan: id, limit }) => ({
              value: id,
              label: `Plan ${names[id] ?? id}`,
              hint: amountText(limit),
            }))}
            value={planId}
            onValueChange={setPlanId}
          />
        )
      }
    >
      {plan && (
        <PlanExplorer
          key={plan.plan}
          {...props}
          plan={plan}
          judged={judged}
          asked={asked}
          backtest={backtest}
        />
      )}
    </Card>
  );
}

function PlanExplorer(props: ExplorerProps & { plan: ExploredPlan }) {
  const { backtest, judged, plan, names, asked } = props;
  const planName = names[plan.plan] ?? plan.plan;
  const { demand, error } = useDemand(backtest.id);
  const [amount, setAmount] = useState<RateAmount>(plan.limit);
  const { max } = useMemo(
    () => limitScale({ rate: plan.limit.rate, peak: plan.peaks.max }),
    [plan.limit.rate, plan.peaks.max],
  );
  const shown = useDeferredValue(amount);
  const others = useMemo(() => {
    if (demand === null) return null;
    const limits = compileLimit(judged.limit);
    return estimateLimit(demand, (of) => (of === plan.plan ? null : limits(of, true)));
  }, [demand, judged.limit, plan.plan]);
  const estimate = useMemo(() => {
    if (demand === null) return null;
    const bucket = bucketOf(judged.limit, shown);
    const found = estimateLimit(demand, (of) => (of === plan.plan ? bucket : null));
    return found.byPlan.find((row) => row.plan === plan.plan) ?? null;
  }, [demand, judged.limit, plan.plan, shown]);
  const simulated = asked.byPlan.find((row) => row.plan === plan.plan);
  const isSimulated = isSame(shown, plan.limit);
  const row = isSimulated ? simulated : estimate;
  const all = isSimulated
    ? asked.rejections
    : estimate !== null && others !== null
      ? estimate.rejections + others.rejections
      : null;
  const { body, problem } = withAmount(judged, plan.plan, amount);
  const burstOf = (rate: number) =>
    "burst" in plan.limit
      ? {
          burst: Math.min(
            RATE_MAX,
            Math.max(1, Math.round((rate * plan.limit.burst) / plan.limit.rate)),
          ),
        }
      : {};
  const setRate = (rate: number) => setAmount({ ...amount, rate, ...burstOf(rate) });

  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <label htmlFor="limit-slider" className="text-sm font-medium">
          Requests per {plan.limit.per}, plan {planName}
        </label>
        <input
          id="limit-slider"
          type="range"
          min={0}
          max={SCALE_STEPS}
          value={positionOf(amount.rate, max)}
          aria-valuetext={amountText(amount)}
          onChange={(event) => setRate(rateAt(Number(event.currentTarget.value), max))}
          className="h-6 w-full cursor-pointer accent-accent-solid"
        />
        <div aria-hidden className="flex justify-between text-sm tabular-nums text-muted">
          <span>1</span>
          <span>{formatCount(max)}</span>
        </div>
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <Field label={`Requests per ${plan.limit.per}`} className="w-44">
          <NumberInput value={amount.rate} min={1} onValueChange={(rate) => setRate(rate ?? 1)} />
        </Field>
        {"burst" in amount && (
          <Field label="Burst" className="w-44">
            <NumberInput
              value={amount.burst}
              min={1}
              onValueChange={(burst) => setAmount({ ...amount, burst: burst ?? 1 })}
            />
          </Field>
        )}
        <Button onClick={() => setAmount(plan.limit)} disabled={isSame(amount, plan.limit)}>
          As it was judged
        </Button>
        {"rate" in plan.proposed.limit && <ProposedButton plan={plan} onUse={setAmount} />}
      </div>
      {error === null ? (
        <div data-testid="limit-figures" className="flex flex-col gap-2">
          <p>
            {isSimulated ? (
              <Badge tone="success">Simulated</Badge>
            ) : (
              <Badge tone="warning">Estimate</Badge>
            )}{" "}
            <span className="text-sm text-muted">
              {isSimulated
                ? "Each request was decided, among all rules."
                : "From what was asked by the second, as if no other rule refused anything."}
            </span>
          </p>
          <StatRow className="max-sm:grid-cols-1">
            <Stat
              label={`Rejected on plan ${planName}`}
              value={
                row ? formatShare(row.requests === 0 ? 0 : row.rejections / row.requests) : "–"
              }
              note={
                row
                  ? `${formatCount(row.rejections)} of ${formatPlural(row.requests, "request")}`
                  : "loading"
              }
            />
            <Stat
              label="Clients above it"
              value={row ? formatCount(row.clientsRejected) : "–"}
              note={row ? `of ${formatPlural(row.clients, "client")}` : "loading"}
            />
            <Stat
              label="Rejected on all plans"
              value={
                all === null ? "–" : formatShare(asked.requests === 0 ? 0 : all / asked.requests)
              }
              note={all === null ? "loading" : formatPlural(all, "request")}
            />
          </StatRow>
        </div>
      ) : (
        <FormError>What was asked cannot be loaded: {error}.</FormError>
      )}
      <FormError>{problem}</FormError>
      <LimitActions {...props} body={body} isSimulated={isSame(amount, plan.limit)} />
    </div>
  );
}

function ProposedButton({ plan, onUse }: { plan: ExploredPlan; onUse(amount: RateAmount): void }) {
  const { limit, estimate } = plan.proposed;
  if (!("rate" in limit)) return null;
  return (
    <Button
      onClick={() => onUse(limit)}
      title={`${formatPlural(estimate.clientsRejected, "client")} above it`}
    >
      Proposed: {amountText(limit)}
    </Button>
  );
}

type ActionsProps = ExplorerProps & { body: Rule | null; isSimulated: boolean };

function LimitActions({ backtest, judged, body, isSimulated, create, use }: ActionsProps) {
  const router = useRouter();
  const [error, setError] = useState<string>();
  const [taken, setTaken] = useState<boolean>();
  const [simulating, startSimulating] = useTransition();
  const [saving, startSaving] = useTransition();

  function simulate() {
    if (body === null) return;
    setError(undefined);
    startSimulating(async () => {
      const { ruleset, source, speed } = backtest;
      const from =
        source.kind === "log"
          ? { kind: "log" as const, log: source.log }
          : { kind: "tape" as const, from: source.from, to: source.to };
      const made = await callAction(create, {
        ruleset,
        rule: judged.id,
        rules: [body],
        source: from,
        speed,
      });
      if (made.ok) router.push(`/backtest/${made.data.id}`);
      else setError(made.message);
    });
  }

  function take() {
    setError(undefined);
    startSaving(async () => {
      const saved = await callAction(use, { rule: judged.id, limit: body?.limit });
      if (saved.ok) setTaken(saved.data.isChanged);
      else setError(saved.message);
    });
  }

  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <PermittedButton
          needs="draft"
          variant="primary"
          onClick={simulate}
          disabled={body === null || isSimulated}
          pending={simulating}
          pendingLabel="Starting"
        >
          Simulate
        </PermittedButton>
        <PermittedButton
          needs="draft"
          onClick={take}
          disabled={body === null}
          pending={saving}
          pendingLabel="Saving"
        >
          Use this limit in my draft
        </PermittedButton>
      </div>
      <FormError>{error}</FormError>
      {taken !== undefined && (
        <Banner
          tone="success"
          title={taken ? "Your draft has this limit" : "The live rule has this limit already"}
        >
          {taken && (
            <>
              Nothing is live yet: <TextLink href="/draft">review your draft</TextLink>.
            </>
          )}
        </Banner>
      )}
    </div>
  );
}

function isSame(a: RateAmount, b: RateAmount): boolean {
  return a.rate === b.rate && a.per === b.per && burstIn(a) === burstIn(b);
}

function burstIn(amount: RateAmount): number | null {
  return "burst" in amount ? amount.burst : null;
}

/** The judged rule with it; a sentence where it cannot be. */
function withAmount(
  judged: ExplorerProps["judged"],
  plan: string,
  amount: RateAmount,
): { body: Rule | null; problem: string | null } {
  const read = RuleSchema.safeParse({
    ...judged,
    limit: withPlanAmount(judged.limit, plan, amount),
  });
  if (read.success) return { body: read.data, problem: null };
  return { body: null, problem: fieldErrors(read.error)[0]?.message ?? "it is no limit" };
}
