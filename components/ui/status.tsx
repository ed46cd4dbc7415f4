import { Circle, CircleCheck, CircleDashed, CircleX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";

export type StatusTone = "success" | "warning" | "danger" | "pending" | "neutral";

const looks = {
  success: { Icon: CircleCheck, color: "text-success" },
  warning: { Icon: TriangleAlert, color: "text-warning" },
  danger: { Icon: CircleX, color: "text-danger" },
  pending: { Icon: CircleDashed, color: "text-accent" },
  neutral: { Icon: Circle, color: "text-muted" },
} as const;

type StatusProps = { tone: StatusTone; children: ReactNode; className?: string };

/** A state as shape, colour and word: readable without the colour. */
export function Status({ tone, children, className }: StatusProps) {
  const { Icon, color } = looks[tone];
  return (
    <span className={cn("inline-flex items-center gap-1.5 whitespace-nowrap", className)}>
      <Icon aria-hidden className={cn("size-3.5 shrink-0", color)} strokeWidth={2.25} />
      <span>{children}</span>
    </span>
  );
}
