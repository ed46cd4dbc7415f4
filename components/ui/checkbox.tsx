"use client";

import { Checkbox as Base } from "@base-ui/react/checkbox";
import { Check, Minus } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./cn";

type CheckboxProps = Omit<ComponentProps<typeof Base.Root>, "className" | "children"> & {
  label: ReactNode;
  hint?: ReactNode;
  hideLabel?: boolean;
  className?: string;
};

export function Checkbox({
  label,
  hint,
  hideLabel = false,
  className,
  id,
  ...props
}: CheckboxProps) {
  const ownId = useId();
  const labelId = `${ownId}-label`;
  const hintId = `${ownId}-hint`;
  return (
    <div className={cn("flex items-start gap-2", className)}>
      <Base.Root
        id={id ?? ownId}
        aria-labelledby={labelId}
        aria-describedby={hint ? hintId : undefined}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded border border-border-strong bg-surface data-checked:border-transparent data-checked:bg-accent-solid data-disabled:opacity-55 data-indeterminate:border-transparent data-indeterminate:bg-accent-solid data-invalid:border-danger pointer-coarse:size-5"
        {...props}
      >
        <Base.Indicator className="text-on-accent data-unchecked:hidden">
          {props.indeterminate ? (
            <Minus aria-hidden className="size-3" strokeWidth={3} />
          ) : (
            <Check aria-hidden className="size-3" strokeWidth={3} />
          )}
        </Base.Indicator>
      </Base.Root>
      <span className={hideLabel ? "sr-only" : "min-w-0"}>
        <label id={labelId} htmlFor={id ?? ownId}>
          {label}
        </label>
        {hint && (
          <span id={hintId} className="block text-sm text-muted">
            {hint}
          </span>
        )}
      </span>
    </div>
  );
}
