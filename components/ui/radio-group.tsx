"use client";

import { Radio } from "@base-ui/react/radio";
import { RadioGroup as Base } from "@base-ui/react/radio-group";
import { useId } from "react";
import { cn } from "./cn";
import type { Option } from "./select";

type RadioGroupProps<Value extends string> = {
  options: readonly Option<Value>[];
  /** null: none is chosen yet. */
  value?: Value | null;
  defaultValue?: Value;
  onValueChange?: (value: Value) => void;
  name?: string;
  disabled?: boolean;
  "aria-label"?: string;
  "aria-labelledby"?: string;
  /** `cards` draws a frame around each choice, for choices with a hint. */
  look?: "plain" | "cards";
  className?: string;
};

export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { options, onValueChange, look = "plain", className, value, ...root } = props;
  const id = useId();
  return (
    <Base<Value | null>
      {...root}
      {...(value === undefined ? {} : { value })}
      onValueChange={(next) => {
        if (next !== null) onValueChange?.(next);
      }}
      className={cn("flex flex-col", look === "cards" ? "gap-2" : "gap-1.5", className)}
    >
      {options.map((option) => (
        <label
          key={option.value}
          id={`${id}-${option.value}`}
          htmlFor={`${id}-${option.value}-radio`}
          className={cn(
            "flex items-start gap-2.5",
            look === "cards" &&
              "rounded-md border p-2.5 hover:bg-hover has-data-checked:border-accent has-data-checked:bg-accent-subtle",
          )}
        >
          <Radio.Root
            id={`${id}-${option.value}-radio`}
            value={option.value}
            disabled={option.disabled ?? false}
            className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-border-strong bg-surface data-checked:border-accent-solid data-checked:bg-accent-solid data-disabled:opacity-55 pointer-coarse:size-5"
          >
            <Radio.Indicator className="size-1.5 rounded-full bg-on-accent data-unchecked:hidden" />
          </Radio.Root>
          <span className="min-w-0">
            <span className="flex items-center gap-1.5 [&>svg]:size-4">
              {option.icon}
              {option.label}
            </span>
            {option.hint && <span className="block text-sm text-muted">{option.hint}</span>}
          </span>
        </label>
      ))}
    </Base>
  );
}
