"use client";

import { Field as Base } from "@base-ui/react/field";
import { Fieldset as BaseFieldset } from "@base-ui/react/fieldset";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";

type FieldProps = {
  label: ReactNode;
  /** One control of components/ui: label, hint and error are wired to it by aria. */
  children: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  hideLabel?: boolean;
  name?: string;
  className?: string;
};

export function Field(props: FieldProps) {
  const {
    label,
    children,
    hint,
    error,
    optional = false,
    hideLabel = false,
    name,
    className,
  } = props;
  return (
    <Base.Root
      invalid={Boolean(error)}
      {...(name ? { name } : {})}
      className={cn("flex min-w-0 flex-col gap-1", className)}
    >
      <Base.Label className={hideLabel ? "sr-only" : "text-sm font-medium text-text"}>
        {label}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </Base.Label>
      {children}
      {hint && <Base.Description className="text-sm text-muted">{hint}</Base.Description>}
      {error && (
        <Base.Error match={true} className="flex items-start gap-1.5 text-sm text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>{error}</span>
        </Base.Error>
      )}
    </Base.Root>
  );
}

type FieldGroupProps = {
  legend: ReactNode;
  hint?: ReactNode;
  children: ReactNode;
  className?: string;
};

/** Several controls under one legend. */
export function FieldGroup({ legend, hint, children, className }: FieldGroupProps) {
  return (
    <BaseFieldset.Root className={cn("flex min-w-0 flex-col gap-3", className)}>
      <div>
        <BaseFieldset.Legend className="text-base font-semibold">{legend}</BaseFieldset.Legend>
        {hint && <p className="text-sm text-muted">{hint}</p>}
      </div>
      {children}
    </BaseFieldset.Root>
  );
}

/** The error of a whole form: announced when it appears. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className="empty:hidden">
      {children && (
        <p className="flex items-start gap-1.5 rounded-md border border-danger-border bg-danger-subtle px-3 py-2 text-sm text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>{children}</span>
        </p>
      )}
    </div>
  );
}
