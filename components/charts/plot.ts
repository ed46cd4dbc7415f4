import uPlot from "uplot";
import { formatCompact } from "@/components/ui/format";
import type { ChartColors } from "./chart-colors";
import { type ChartMark, type TimeSeriesData, toneTokens } from "./series";

type PlotOptions = TimeSeriesData & {
  colors: ChartColors;
  width: number;
  height: number;
  onCursor: (index: number | null) => void;
};

const FONT = "11px ui-sans-serif, system-ui, sans-serif";
const DASH = [5, 4];
/** So many values of a series are drawn as points, too. */
const FEW = 20;
/** Of a label such as `v128–v131`. */
const LABEL_ROOM_PX = 64;

export function plotOptions(options: PlotOptions): uPlot.Options {
  const { colors, series, marks = [], width, height, onCursor } = options;
  const axis = {
    stroke: colors.muted,
    font: FONT,
    grid: { stroke: colors.border, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    padding: [marks.length > 0 ? 16 : 8, 18, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.08)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 64,
        values: (_plot, splits) => splits.map(timeLabel(splits)),
      },
      {
        ...axis,
        size: 48,
        space: 32,
        incrs: [
          1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7,
          1e8,
        ],
        values: (_plot, splits) => splits.map((value) => formatCompact(value)),
      },
    ],
    series: [
      {},
      ...series.map((each) => {
        const color = colors[toneTokens[each.tone]];
        return {
          label: each.label,
          stroke: color,
          width: 1.75,
          spanGaps: false,
          points: {
            show: false,
            filter: (plot: uPlot, index: number) => lonePoints(plot.data[index] ?? []),
            size: 6,
            fill: color,
          },
          ...(each.dashed ? { dash: DASH } : {}),
          ...(each.area ? { fill: withAlpha(color, 0.1) } : {}),
        };
      }),
    ],
    hooks: {
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
      drawClear: [(plot) => drawUnknown(plot, colors)],
      draw: [(plot) => drawMarks(plot, marks, colors)],
    },
  };
}

export function plotData({ times, series }: TimeSeriesData): uPlot.AlignedData {
  return [times.map((ms) => ms / 1000), ...series.map((each) => [...each.values])];
}

/** A line shows neither a value that stands alone nor where one of few is. */
export function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const known = Array.from(values, (value) => value !== null && value !== undefined);
  const isFew = known.filter(Boolean).length <= FEW;
  return known.flatMap((isKnown, i) =>
    isKnown && (isFew || !(known[i - 1] || known[i + 1])) ? [i] : [],
  );
}

/** Shades the time before the first known value: nothing is known of it, which is not "none". */
function drawUnknown(plot: uPlot, colors: ChartColors): void {
  const [times = [], ...lines] = plot.data;
  const first = Array.from(times).findIndex((_, i) => lines.some((line) => line[i] != null));
  const at = times[first];
  if (first <= 0 || at === undefined) return;
  const { ctx, bbox } = plot;
  const width = plot.valToPos(at, "x", true) - bbox.left;
  ctx.save();
  ctx.fillStyle = withAlpha(colors.border, 0.35);
  ctx.fillRect(bbox.left, bbox.top, width, bbox.height);
  const ratio = devicePixelRatio;
  if (width > LABEL_ROOM_PX * ratio) {
    ctx.fillStyle = colors.muted;
    ctx.font = `${11 * ratio}px ui-sans-serif, system-ui, sans-serif`;
    ctx.textAlign = "right";
    ctx.fillText("data begins", bbox.left + width - 6 * ratio, bbox.top + 14 * ratio);
  }
  ctx.restore();
}

function drawMarks(plot: uPlot, marks: readonly ChartMark[], colors: ChartColors): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colors.text;
  ctx.fillStyle = colors.text;
  ctx.lineWidth = ratio;
  ctx.font = `${11 * ratio}px ui-sans-serif, system-ui, sans-serif`;
  for (const group of groupMarks(plot, marks)) {
    for (const { x } of group) {
      ctx.setLineDash([2 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top - 2 * ratio);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    const label = first === last ? first.label : `${first.label}–${last.label}`;
    ctx.textAlign = first.x > bbox.left + bbox.width * 0.85 ? "right" : "left";
    ctx.fillText(label, first.x, bbox.top - 5 * ratio);
  }
  ctx.restore();
}

type PlacedMark = ChartMark & { x: number };

/** Marks in view by place; those whose labels would run into one another share one. */
function groupMarks(plot: uPlot, marks: readonly ChartMark[]): PlacedMark[][] {
  const { bbox } = plot;
  const room = LABEL_ROOM_PX * devicePixelRatio;
  const groups: PlacedMark[][] = [];
  for (const mark of marks.toSorted((a, b) => a.at - b.at)) {
    // The last step begins before now: what was made within it stands at the edge.
    const right = bbox.left + bbox.width;
    const x = Math.min(right, Math.round(plot.valToPos(mark.at / 1000, "x", true)));
    if (x < bbox.left) continue;
    const group = groups.at(-1);
    const start = group?.[0];
    if (group !== undefined && start !== undefined && x - start.x < room)
      group.push({ ...mark, x });
    else groups.push([{ ...mark, x }]);
  }
  return groups;
}

/** Hours and minutes; the date instead where a day begins, or where a label is a day apart. */
function timeLabel(splits: readonly number[]): (seconds: number) => string {
  const step = (splits[1] ?? 0) - (splits[0] ?? 0);
  return (seconds) => {
    const iso = new Date(seconds * 1000).toISOString();
    if (step >= 86_400 || iso.endsWith("T00:00:00.000Z")) return iso.slice(5, 10);
    return step < 60 ? iso.slice(11, 19) : iso.slice(11, 16);
  };
}

function withAlpha(color: string, alpha: number): string {
  return color.replace(/^rgb\((.+)\)$/, `rgba($1, ${alpha})`);
}
