"use client";

import { useState } from "react";
import { cn } from "@/components/ui/cn";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { CONCURRENT_MAX, RATE_MAX, WINDOW_MAX } from "@/lib/core/limit";
import { tidyDuration } from "./duration-input";
import type { Way } from "./limit-ways";
import { type Path, valueAt } from "./object-path";
import { useRuleForm } from "./rule-form";
import { numberAt, textAt } from "./rule-input";

type AmountInputsProps = { path: Path; name: string; way: Way };

/** Controls side by side; what is wrong with one of them stands below, over the whole width. */
const amountGrid = "grid gap-2 [&>div>.text-danger]:order-last [&>div>.text-danger]:col-span-full";

/** One amount as the way to limit takes it: so many per interval with a burst, in a window, or at the same time. */
export function AmountInputs({ path, name, way }: AmountInputsProps) {
  if (way === "concurrency") return <ConcurrentInput path={path} name={name} />;
  return <RateInputs path={path} name={name} way={way} />;
}

function ConcurrentInput({ path, name }: { path: Path; name: string }) {
  const form = useRuleForm();
  const at = [...path, "concurrent"];
  const label = `${name}: at the same time`;
  return (
    <Field label={label} hideLabel error={form.errorAt(at)}>
      <NumberInput
        min={0}
        max={CONCURRENT_MAX}
        unit="at the same time"
        value={numberAt(form.input, at)}
        onValueChange={(value) => form.set(at, value)}
        aria-label={label}
      />
    </Field>
  );
}

function RateInputs({ path, name, way }: AmountInputsProps) {
  const form = useRuleForm();
  const isBucket = way === "token-bucket";
  const rate = numberAt(form.input, [...path, "rate"]);
  const burst = numberAt(form.input, [...path, "burst"]);
  const [isBurstOwn, setBurstOwn] = useState(burst !== rate);
  const max = isBucket ? RATE_MAX : WINDOW_MAX;
  const setRate = (next: number | null) => {
    const follows = isBucket && !isBurstOwn ? { burst: next } : {};
    form.set(path, { ...Object(valueAt(form.input, path)), rate: next, ...follows });
  };
  return (
    <div className={cn(amountGrid, isBucket ? "grid-cols-3" : "grid-cols-2")}>
      <Field
        label={`${name}: requests`}
        hideLabel
        className="contents"
        error={form.errorAt([...path, "rate"])}
      >
        <NumberInput
          className="min-w-0 **:[button]:hidden"
          min={0}
          max={max}
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
        <Prefixed prefix={way === "sliding-window" ? "in any" : "per"}>
          <Input
            code
            className={way === "sliding-window" ? "ps-14" : "ps-9"}
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
      {isBucket && (
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
              max={max}
              value={burst}
              aria-label={`${name}: burst`}
              onValueChange={(next) => {
                setBurstOwn(true);
                form.set([...path, "burst"], next);
              }}
            />
          </Prefixed>
        </Field>
      )}
    </div>
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
