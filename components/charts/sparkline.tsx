import { cn } from "@/components/ui/cn";

type SparklineProps = {
  /** Oldest first; `null` is a gap, not a zero. */
  values: readonly (number | null)[];
  /** What it shows, such as "rejections a minute, last hour". */
  label: string;
  tone?: "enforce" | "shadow" | "muted";
  width?: number;
  height?: number;
};

const tones = { enforce: "text-enforce", shadow: "text-shadow", muted: "text-muted" };

export function Sparkline({
  values,
  label,
  tone = "enforce",
  width = 96,
  height = 22,
}: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(1, ...known);
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const y = (value: number) => height - 1.5 - (value / top) * (height - 3);
  const lines = runs(values).map((run) =>
    run.map((point) => `${round(point.index * step)},${round(y(point.value))}`),
  );
  const summary =
    known.length === 0
      ? `${label}: no data`
      : `${label}: now ${known.at(-1)}, highest ${Math.max(...known)}, lowest ${Math.min(...known)}`;
  return (
    <svg
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className={cn("inline-block overflow-visible align-middle", tones[tone])}
    >
      <title>{summary}</title>
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} className="stroke-border" />
      {lines.map((points) => {
        const first = points[0] ?? "";
        const last = points.at(-1) ?? "";
        return (
          <g key={first}>
            <polygon
              points={`${first.split(",")[0]},${height} ${points.join(" ")} ${last.split(",")[0]},${height}`}
              fill="currentColor"
              opacity={0.12}
            />
            <polyline
              points={points.length === 1 ? `${first} ${first}` : points.join(" ")}
              fill="none"
              stroke="currentColor"
              strokeWidth={1.5}
              strokeLinejoin="round"
              strokeLinecap="round"
            />
          </g>
        );
      })}
    </svg>
  );
}

function runs(values: readonly (number | null)[]): { index: number; value: number }[][] {
  const found: { index: number; value: number }[][] = [];
  let open: { index: number; value: number }[] = [];
  values.forEach((value, index) => {
    if (value !== null) {
      if (open.length === 0) found.push(open);
      open.push({ index, value });
    } else {
      open = [];
    }
  });
  return found;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
