"use client";

import { NumberField } from "@base-ui/react/number-field";
import { Minus, Plus } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { cn } from "./cn";
import { controlStyle } from "./control-style";

type NumberInputProps = {
  value?: number | null;
  defaultValue?: number;
  onValueChange?: (value: number | null) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement>;
  name?: string;
  id?: string;
  min?: number;
  max?: number;
  step?: number;
  disabled?: boolean;
  required?: boolean;
  /** Word after the number, such as "requests". */
  unit?: ReactNode;
  "aria-label"?: string;
  placeholder?: string;
  className?: string;
};

const stepStyle =
  "flex h-full w-7 items-center justify-center text-muted hover:bg-hover hover:text-text pointer-coarse:w-10";

export function NumberInput(props: NumberInputProps) {
  const {
    unit,
    className,
    ref,
    onBlur,
    placeholder,
    "aria-label": label,
    onValueChange,
    ...root
  } = props;
  return (
    <NumberField.Root
      {...root}
      {...(onValueChange ? { onValueChange: (value: number | null) => onValueChange(value) } : {})}
      locale="en-US"
      // What is out of range is said, not turned into something else.
      allowOutOfRange
      className={cn("min-w-24", className)}
    >
      <NumberField.Group
        className={cn(
          controlStyle,
          "flex items-stretch overflow-hidden p-0 focus-within:outline-2 focus-within:outline-focus",
        )}
      >
        <NumberField.Input
          ref={ref}
          aria-label={label}
          placeholder={placeholder}
          onBlur={onBlur}
          className="w-full min-w-0 bg-transparent px-2.5 tabular-nums outline-none focus-visible:outline-none"
        />
        {unit && (
          <span className="flex items-center whitespace-nowrap pe-2 text-sm text-muted">
            {unit}
          </span>
        )}
        <NumberField.Decrement aria-label="Decrease" className={cn(stepStyle, "border-s")}>
          <Minus aria-hidden className="size-3.5" />
        </NumberField.Decrement>
        <NumberField.Increment aria-label="Increase" className={cn(stepStyle, "border-s")}>
          <Plus aria-hidden className="size-3.5" />
        </NumberField.Increment>
      </NumberField.Group>
    </NumberField.Root>
  );
}
