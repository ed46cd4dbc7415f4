import { cn } from "@/components/ui/cn";
import { formatCount, formatUtc } from "@/components/ui/format";
import type { ChartSeries, SeriesTone } from "./series";

type SeriesLegendProps = {
  times: readonly number[];
  series: readonly ChartSeries[];
  /** The point under the cursor; else totals are shown. */
  index: number | null;
};

const strokes: Record<SeriesTone, string> = {
  enforce: "stroke-enforce",
  shadow: "stroke-shadow",
  accent: "stroke-accent",
  muted: "stroke-off",
  danger: "stroke-danger",
};

export function SeriesLegend({ times, series, index }: SeriesLegendProps) {
  const at = index === null ? undefined : times[index];
  return (
    <figcaption className="mb-1 flex min-h-5 flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      {series.map((each) => (
        <span key={each.key} className="inline-flex items-center gap-1.5">
          <svg aria-hidden="true" width="18" height="8" className={cn(strokes[each.tone])}>
            <line
              x1="0"
              y1="4"
              x2="18"
              y2="4"
              strokeWidth="2"
              strokeDasharray={each.dashed ? "4 3" : undefined}
            />
          </svg>
          <span className="text-muted">{each.label}</span>
          <span className="font-medium tabular-nums">{figure(each, index)}</span>
        </span>
      ))}
      <span className="ms-auto text-muted tabular-nums">
        {at === undefined ? "total" : formatUtc(new Date(at), "minute")}
      </span>
    </figcaption>
  );
}

function figure(series: ChartSeries, index: number | null): string {
  if (index !== null) {
    const value = series.values[index];
    return value === null || value === undefined ? "no data" : formatCount(value);
  }
  return formatCount(series.values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
}
