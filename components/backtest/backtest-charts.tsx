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

/** Steps without a request are zero: the recording says so. */
function withGaps(series: ChartsProps["series"], stepSeconds: number) {
  const points = new Map(series.map((point) => [Date.parse(point.t), point]));
  const [first] = points.keys();
  const last = [...points.keys()].at(-1);
  const times: number[] = [];
  if (first !== undefined && last !== undefined)
    for (let t = first; t <= last && times.length <= 1_000; t += stepSeconds * 1000) times.push(t);
  return {
    times,
    rejections: times.map((t) => points.get(t)?.rejections ?? 0),
    requests: times.map((t) => points.get(t)?.requests ?? 0),
  };
}
