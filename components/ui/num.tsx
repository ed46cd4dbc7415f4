import { cn } from "./cn";
import { formatCompact, formatCount, formatShare } from "./format";

type NumProps = {
  value: number | null | undefined;
  as?: "count" | "compact" | "share";
  className?: string;
};

/** A figure in tabular digits; "no data" is a dash with that name, never a zero. */
export function Num({ value, as = "count", className }: NumProps) {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return (
      <span className={cn("text-muted", className)} title="No data">
        <span aria-hidden>–</span>
        <span className="sr-only">no data</span>
      </span>
    );
  }
  const text =
    as === "count"
      ? formatCount(value)
      : as === "compact"
        ? formatCompact(value)
        : formatShare(value);
  return (
    <span
      title={as === "compact" ? formatCount(value) : undefined}
      className={cn("tabular-nums", className)}
    >
      {text}
    </span>
  );
}
