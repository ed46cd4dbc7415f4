"use client";

import type { ReactNode } from "react";
import type { Path } from "@/components/rules/object-path";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { type Option, Select } from "@/components/ui/select";
import { Switch } from "@/components/ui/switch";
import { useSettingsForm } from "./settings-form";

type SettingProps = { path: Path; label: string; hint?: ReactNode };

export function SettingSwitch({ path, label, hint }: SettingProps) {
  const form = useSettingsForm();
  return (
    <Switch
      label={label}
      hint={hint}
      checked={form.at(path) === true}
      onCheckedChange={(checked) => form.set(path, checked)}
    />
  );
}

type NumberProps = SettingProps & {
  min: number;
  max: number;
  unit?: string;
  /** What is shown for one of the setting: 100 for a share in percent. */
  scale?: number;
};

export function SettingNumber({ path, label, hint, min, max, unit, scale = 1 }: NumberProps) {
  const form = useSettingsForm();
  const value = form.at(path);
  return (
    <Field label={label} hint={hint} error={form.errorAt(path)}>
      <NumberInput
        min={min}
        max={max}
        unit={unit}
        value={typeof value === "number" ? rounded(value * scale) : null}
        onValueChange={(next) => form.set(path, next === null ? null : rounded(next / scale))}
      />
    </Field>
  );
}

/** Without what a product of binary fractions adds. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

export function SettingChoice<Value extends string>({
  path,
  label,
  hint,
  options,
}: SettingProps & { options: readonly Option<Value>[] }) {
  const form = useSettingsForm();
  const chosen = options.find(({ value }) => value === form.at(path));
  return (
    <Field label={label} hint={chosen?.hint ?? hint} error={form.errorAt(path)}>
      <Select
        options={options}
        value={chosen?.value ?? null}
        onValueChange={(value) => form.set(path, value)}
      />
    </Field>
  );
}

/** A header's name; empty is none. */
export function SettingHeader({ path, label, hint }: SettingProps) {
  const form = useSettingsForm();
  const value = form.at(path);
  return (
    <Field label={label} hint={hint} error={form.errorAt(path)} optional>
      <Input
        code
        placeholder="none"
        value={typeof value === "string" ? value : ""}
        onValueChange={(text) => form.set(path, text.trim() === "" ? null : text.trim())}
      />
    </Field>
  );
}
