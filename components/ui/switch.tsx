"use client";

import { Switch as Base } from "@base-ui/react/switch";
import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./cn";

type SwitchProps = Omit<ComponentProps<typeof Base.Root>, "className" | "children"> & {
  label: ReactNode;
  hint?: ReactNode;
  className?: string;
};

export function Switch({ label, hint, className, id, ...props }: SwitchProps) {
  const ownId = useId();
  const hintId = `${ownId}-hint`;
  const labelId = `${ownId}-label`;
  return (
    <div className={cn("flex items-start gap-2.5", className)}>
      <Base.Root
        id={id ?? ownId}
        aria-labelledby={labelId}
        aria-describedby={hint ? hintId : undefined}
        className="group mt-px flex h-5 w-9 shrink-0 items-center rounded-full border border-border-strong bg-sunken p-0.5 transition-colors data-checked:border-transparent data-checked:bg-accent-solid data-disabled:opacity-55"
        {...props}
      >
        <Base.Thumb className="size-3.5 rounded-full bg-border-strong transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </Base.Root>
      <span className="min-w-0">
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
