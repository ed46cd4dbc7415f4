import { cva, type VariantProps } from "class-variance-authority";
import type { ReactNode } from "react";
import { cn } from "./cn";

const badgeStyle = cva(
  "inline-flex max-w-full items-center gap-1 whitespace-nowrap rounded border px-1.5 text-xs font-medium leading-4.5 [&>svg]:size-3 [&>svg]:shrink-0",
  {
    variants: {
      tone: {
        neutral: "border-off-border bg-off-subtle text-off",
        accent: "border-accent/35 bg-accent-subtle text-accent",
        enforce: "border-enforce-border bg-enforce-subtle text-enforce",
        shadow: "border-dashed border-shadow-border bg-shadow-subtle text-shadow",
        danger: "border-danger-border bg-danger-subtle text-danger",
        warning: "border-warning-border bg-warning-subtle text-warning",
        success: "border-success-border bg-success-subtle text-success",
      },
    },
    defaultVariants: { tone: "neutral" },
  },
);

export type Tone = NonNullable<VariantProps<typeof badgeStyle>["tone"]>;

type BadgeProps = {
  children: ReactNode;
  tone?: Tone;
  icon?: ReactNode;
  className?: string;
  title?: string;
};

export function Badge({ children, tone, icon, className, title }: BadgeProps) {
  return (
    <span title={title} className={cn(badgeStyle({ tone }), className)}>
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
