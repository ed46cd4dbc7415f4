import type { ReactNode } from "react";
import { cn } from "./cn";
import { CodeBlock } from "./code-block";

type EmptyStateProps = {
  /** What is missing, such as "No gateway has reported yet". */
  title: ReactNode;
  /** How to get it. */
  children?: ReactNode;
  /** The command that brings it. */
  code?: string;
  actions?: ReactNode;
  icon?: ReactNode;
  className?: string;
};

export function EmptyState({ title, children, code, actions, icon, className }: EmptyStateProps) {
  return (
    <div className={cn("flex flex-col items-center px-4 py-10 text-center", className)}>
      {icon && (
        <div
          aria-hidden
          className="mb-3 flex size-10 items-center justify-center rounded-full border bg-sunken text-muted [&>svg]:size-5"
        >
          {icon}
        </div>
      )}
      <p className="text-base font-semibold">{title}</p>
      {children && <div className="mt-1 max-w-prose text-muted">{children}</div>}
      {code && (
        <CodeBlock code={code} label="command" className="mt-4 w-full max-w-2xl text-start" />
      )}
      {actions && <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
