"use client";

import { Button as BaseButton } from "@base-ui/react/button";
import type { ComponentProps } from "react";
import { useFormStatus } from "react-dom";
import { type ButtonStyle, buttonStyle } from "./button-style";
import { cn } from "./cn";

export type ButtonProps = Omit<ComponentProps<"button">, "ref"> &
  ButtonStyle & {
    ref?: React.Ref<HTMLElement>;
    /** The action is running: presses are ignored, focus stays, `pendingLabel` is shown. */
    pending?: boolean;
    pendingLabel?: string;
    /** Why the reader may not press it: it stays reachable, and says so. */
    refused?: string | undefined;
  };

export function Button(props: ButtonProps) {
  const {
    variant,
    size,
    pending = false,
    pendingLabel,
    disabled = false,
    refused,
    title = refused,
    className,
    children,
    type = "button",
    ...rest
  } = props;
  return (
    <BaseButton
      type={type}
      disabled={disabled || pending || refused !== undefined}
      focusableWhenDisabled={pending || refused !== undefined}
      title={title}
      aria-busy={pending || undefined}
      data-pending={pending ? "" : undefined}
      className={cn(buttonStyle({ variant, size }), className)}
      {...rest}
    >
      {pending && pendingLabel ? pendingLabel : children}
      {pending && (
        <span aria-hidden className="absolute inset-x-0 bottom-0 h-0.5 overflow-hidden">
          <span className="block h-full w-1/3 animate-pending bg-current opacity-70" />
        </span>
      )}
    </BaseButton>
  );
}

/** Submits its form and is pending for as long as the form's action runs. */
export function SubmitButton({ pending = false, variant = "primary", ...props }: ButtonProps) {
  const form = useFormStatus();
  return <Button type="submit" variant={variant} pending={pending || form.pending} {...props} />;
}
