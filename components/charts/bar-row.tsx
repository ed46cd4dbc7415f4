import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";

type BarRowProps = {
  label: ReactNode;
  /** The figure in words, such as "5,120 of 1.22M (0.42%)". */
  value: ReactNode;
  /** From 0 to 1, of the longest bar or of the whole. */
  share: number;
  tone?: "enforce" | "shadow" | "accent" | "muted";
};

const tones = { enforce: "bg-enforce", shadow: "bg-shadow", accent: "bg-accent", muted: "bg-off" };

/** A label, a bar, and its figure in words; several go into BarList. */
export function BarRow({ label, value, share, tone = "accent" }: BarRowProps) {
  const percent = Math.min(100, Math.max(0, share * 100));
  return (
    <li className="py-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate">{label}</span>
        <span className="shrink-0 text-sm tabular-nums">{value}</span>
      </div>
      <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className={cn("h-full rounded-full", tones[tone])}
          style={{ width: percent > 0 ? `max(2px, ${percent}%)` : 0 }}
        />
      </div>
    </li>
  );
}

export function BarList({ children, label }: { children: ReactNode; label: string }) {
  return (
    <ul aria-label={label} className="flex flex-col">
      {children}
    </ul>
  );
}
