"use client";

import { Field } from "@base-ui/react/field";
import { Input as BaseInput } from "@base-ui/react/input";
import type { ComponentProps } from "react";
import { cn } from "./cn";
import { controlStyle } from "./control-style";

type InputProps = Omit<ComponentProps<typeof BaseInput>, "className"> & {
  className?: string;
  /** Ids, patterns, addresses: monospaced, no spell check, no capitals. */
  code?: boolean;
};

const codeProps = { spellCheck: false, autoCapitalize: "none", autoCorrect: "off" } as const;

export function Input({ className, code = false, ...props }: InputProps) {
  return (
    <BaseInput
      dir="auto"
      className={cn(controlStyle, code && "font-mono text-sm", className)}
      {...(code ? codeProps : {})}
      {...props}
    />
  );
}

type TextareaProps = ComponentProps<"textarea"> & { code?: boolean };

export function Textarea({ className, code = false, rows = 3, ...props }: TextareaProps) {
  return (
    <Field.Control
      render={
        <textarea
          dir="auto"
          rows={rows}
          className={cn(
            controlStyle,
            "h-auto py-1.5 pointer-coarse:h-auto",
            code && "font-mono text-sm",
            className,
          )}
          {...(code ? codeProps : {})}
          {...props}
        />
      }
    />
  );
}
