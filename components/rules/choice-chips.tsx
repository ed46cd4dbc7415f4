"use client";

import { useId } from "react";
import { cn } from "@/components/ui/cn";

type Choice = { value: string; label: string; code?: boolean };

type ChoiceChipsProps = {
  label: string;
  hint?: string;
  error?: string | undefined;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
};

/** Any number of a few choices, side by side: real checkboxes that look like chips. */
export function ChoiceChips({ label, hint, error, choices, chosen, onChange }: ChoiceChipsProps) {
  const id = useId();
  const all = [...choices, ...unlisted(choices, chosen)];
  return (
    <fieldset aria-describedby={hint ? `${id}-hint` : undefined} className="min-w-0">
      <legend className="text-sm font-medium">{label}</legend>
      <div className="mt-1 flex flex-wrap gap-1.5">
        {all.map(({ value, label: name, code = false }) => (
          <label
            key={value}
            className={cn(
              "inline-flex h-7 cursor-pointer items-center rounded-md border border-border-strong/60 bg-surface px-2.5 text-sm pointer-coarse:h-10",
              "hover:bg-hover has-checked:border-accent has-checked:bg-accent-subtle has-checked:font-medium has-checked:text-accent",
              "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus",
              code && "font-mono",
            )}
          >
            <input
              type="checkbox"
              className="sr-only"
              checked={chosen.includes(value)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? all.map((each) => each.value).filter((v) => v === value || chosen.includes(v))
                    : chosen.filter((each) => each !== value),
                )
              }
            />
            <bdi>{name}</bdi>
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p role="alert" className="mt-1 text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** What was chosen elsewhere and is no choice here stays visible, so that it can be taken away. */
function unlisted(choices: readonly Choice[], chosen: readonly string[]): Choice[] {
  return chosen
    .filter((value) => !choices.some((choice) => choice.value === value))
    .map((value) => ({ value, label: value, code: true }));
}
