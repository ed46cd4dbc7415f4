import type { ReactNode } from "react";
import { cn } from "./cn";

type CardProps = {
  children: ReactNode;
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Line under the content, such as what the figures cover. */
  footer?: ReactNode;
  /** No padding around the content: tables, charts to the edge. */
  flush?: boolean;
  className?: string;
  id?: string;
};

export function Card({
  children,
  title,
  description,
  actions,
  footer,
  flush = false,
  className,
  id,
}: CardProps) {
  return (
    <section id={id} className={cn("min-w-0 rounded-lg border bg-surface", className)}>
      {(title || actions) && (
        <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-3 pb-2.5">
          <div className="min-w-0">
            {title && <h2 className="text-base font-semibold">{title}</h2>}
            {description && <p className="text-sm text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={cn(!flush && "px-4 pb-4", !flush && !title && !actions && "pt-4")}>
        {children}
      </div>
      {footer && <footer className="border-t px-4 py-2 text-sm text-muted">{footer}</footer>}
    </section>
  );
}

type StatProps = {
  label: ReactNode;
  value: ReactNode;
  note?: ReactNode;
  tone?: "plain" | "danger" | "shadow" | "enforce";
};

const statTones = {
  plain: "",
  danger: "text-danger",
  shadow: "text-shadow",
  enforce: "text-enforce",
};

/** One figure with its label; several go inside StatRow. */
export function Stat({ label, value, note, tone = "plain" }: StatProps) {
  return (
    <div className="min-w-0 bg-surface px-4 py-3">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className={cn("truncate text-xl font-semibold tabular-nums", statTones[tone])}>
        {value}
      </dd>
      {note && <dd className="text-sm text-muted">{note}</dd>}
    </div>
  );
}

export function StatRow({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <dl
      className={cn(
        "grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-border sm:grid-flow-col sm:auto-cols-fr sm:grid-cols-none",
        className,
      )}
    >
      {children}
    </dl>
  );
}
