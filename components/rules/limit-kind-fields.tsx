"use client";

import { useId, useMemo } from "react";
import { Combobox } from "@/components/ui/combobox";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { RadioGroup } from "@/components/ui/radio-group";
import { RATE_MAX } from "@/lib/core/limit";
import { tidyDuration } from "./duration-input";
import { WAYS, type Way, wayOf } from "./limit-ways";
import { useRuleForm } from "./rule-form";
import { numberAt, textAt } from "./rule-input";
import { WAY_WORDS } from "./way-words";

/** Which way to limit, and what only that way has. */
export function LimitKindFields() {
  const form = useRuleForm();
  const id = useId();
  const way = wayOf(form.input);
  const error = form.errorAt(["limit", "kind"]) ?? form.errorAt(["limit", "algorithm"]);
  return (
    <>
      <div>
        <p id={id} className="mb-1 text-sm font-medium">
          Kind of limit
        </p>
        <RadioGroup
          aria-labelledby={id}
          look="cards"
          className="sm:grid sm:grid-cols-2 lg:grid-cols-3"
          options={WAYS.map((value) => ({ value, ...WAY_WORDS[value] }))}
          value={way}
          onValueChange={form.switchWay}
        />
        {error && (
          <p role="alert" className="mt-1 text-sm text-danger">
            {error}
          </p>
        )}
      </div>
      <OwnFields way={way} />
    </>
  );
}

function OwnFields({ way }: { way: Way | null }) {
  switch (way) {
    case "fixed-window":
      return <TimeZoneField />;
    case "concurrency":
      return <LeaseField />;
    case "fleet":
      return <FleetFields />;
    case "worker":
      return <WorkerField />;
    default:
      return null;
  }
}

function TimeZoneField() {
  const form = useRuleForm();
  const zone = textAt(form.input, ["limit", "timeZone"]);
  const options = useMemo(() => {
    const known = new Set(["UTC", ...Intl.supportedValuesOf("timeZone")]);
    if (zone !== "") known.add(zone);
    return [...known].map((value) => ({ value, label: value }));
  }, [zone]);
  return (
    <Field
      label="Time zone"
      className="max-w-80"
      hint="Whose midnight and whose months."
      error={form.errorAt(["limit", "timeZone"])}
    >
      <Combobox
        options={options}
        value={zone === "" ? "UTC" : zone}
        emptyText="No time zone has this in its name."
        onValueChange={(value) => form.set(["limit", "timeZone"], value ?? "UTC")}
      />
    </Field>
  );
}

function LeaseField() {
  const form = useRuleForm();
  const path = ["limit", "lease"];
  return (
    <Field
      label="Lease"
      className="max-w-80"
      hint="How long the requests of a gateway that died still count. Living gateways renew theirs."
      error={form.errorAt(path)}
    >
      <Input
        code
        value={textAt(form.input, path)}
        placeholder="30s"
        onValueChange={(text) => form.set(path, text === "" ? undefined : text)}
        onBlur={(event) => {
          const tidy = tidyDuration(event.target.value);
          if (tidy !== event.target.value) form.set(path, tidy);
        }}
      />
    </Field>
  );
}

function FleetFields() {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <LimitNumber
        name="capacity"
        label="Capacity of the fleet"
        unit="a second"
        hint="What all gateways together may take."
        max={RATE_MAX}
      />
      <LimitNumber
        name="reserve"
        label="Kept for critical requests"
        unit="%"
        hint="The others are shed when they would eat into it."
        max={100}
      />
    </div>
  );
}

function WorkerField() {
  return (
    <LimitNumber
      name="maxDelayMs"
      label="Greatest delay"
      unit="ms"
      hint="How late a gateway's event loop may run before it sheds: test first, then sheddable, then normal."
      max={10_000}
    />
  );
}

type LimitNumberProps = { name: string; label: string; unit: string; hint: string; max: number };

function LimitNumber({ name, label, unit, hint, max }: LimitNumberProps) {
  const form = useRuleForm();
  const path = ["limit", name];
  return (
    <Field label={label} className="max-w-80" hint={hint} error={form.errorAt(path)}>
      <NumberInput
        min={0}
        max={max}
        unit={unit}
        value={numberAt(form.input, path)}
        onValueChange={(value) => form.set(path, value)}
      />
    </Field>
  );
}
