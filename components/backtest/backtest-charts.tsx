"use client";

import { useMemo } from "react";
import type { ChartSeries } from "@/components/charts/series";
import { TimeSeries } from "@/components/charts/time-series";
import { formatMs } from "@/components/ui/format";
import type { BacktestAnswerFigures } from "@/lib/core/api/backtests";

type ChartsProps = Pick<BacktestAnswerFigures, "series" | "stepSeconds"> & {
  mode: "shadow" | "enforce";
};

/** Rejections over the time of the recording, and the requests that they are of. */
export function BacktestCharts({ series, stepSeconds, mode }: ChartsProps) {
  const step = formatMs(stepSeconds * 1000);
  const { times, rejections, requests } = useMemo(
    () => withGaps(series, stepSeconds),
    [series, stepSeconds],
  );
  const refused = useMemo(
    (): ChartSeries[] => [
      {
        key: "rejections",
        label: "Would reject",
        tone: mode,
        dashed: true,
        area: true,
        values: rejections,
      },
    ],
    [mode, rejections],
  );
  const asked = useMemo(
    (): ChartSeries[] => [
      { key: "requests", label: "Requests", tone: "muted", area: true, values: requests },
    ],
    [requests],
  );
  return (
    <div className="flex flex-col gap-4">
      <TimeSeries label={`Rejections per ${step}`} times={times} series={refused} />
      <TimeSeries label={`Requests per ${step}`} times={times} series={asked} height={120} />
    </div>
  );
}

/** Around a recording of one step, so that it stands somewhere. */
const MARGIN_STEPS = 5;

/** Steps without a request are zero: the recording says so. Before and after it nothing is known. */
function withGaps(series: ChartsProps["series"], stepSeconds: number) {
  const points = new Map(series.map((point) => [Date.parse(point.t), point]));
  const [first] = points.keys();
  const last = [...points.keys()].at(-1);
  const times: number[] = [];
  if (first !== undefined && last !== undefined)
    for (let t = first; t <= last && times.length <= 1_000; t += stepSeconds * 1000) times.push(t);
  const margin = times.length === 1 ? MARGIN_STEPS : 0;
  const before = Array.from(
    { length: margin },
    (_, n) => (first ?? 0) - (margin - n) * stepSeconds * 1000,
  );
  const after = Array.from(
    { length: margin },
    (_, n) => (last ?? 0) + (n + 1) * stepSeconds * 1000,
  );
  const nothing = Array.from({ length: margin }, () => null);
  const values = (of: (point: ChartsProps["series"][number]) => number) => [
    ...nothing,
    ...times.map((t) => {
      const point = points.get(t);
      return point === undefined ? 0 : of(point);
    }),
    ...nothing,
  ];
  return {
    times: [...before, ...times, ...after],
    rejections: values(({ rejections }) => rejections),
    requests: values(({ requests }) => requests),
  };
}
