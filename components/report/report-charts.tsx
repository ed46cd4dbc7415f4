"use client";

import { useMemo } from "react";
import type { ChartSeries } from "@/components/charts/series";
import { TimeSeries } from "@/components/charts/time-series";
import { formatMs } from "@/components/ui/format";
import type { Report } from "@/lib/core/api/report";

type ReportChartsProps = Pick<Report, "mode" | "series" | "stepSeconds" | "marks">;

/** Of a chart whose shape says little. */
const FLAT_PX = 120;

/** Refusals over time with the publishes in it, and the requests that they are of. */
export function ReportCharts({ mode, series, stepSeconds, marks }: ReportChartsProps) {
  const step = formatMs(stepSeconds * 1000);
  const times = useMemo(() => series.map(({ t }) => Date.parse(t)), [series]);
  const chartMarks = useMemo(
    () => marks.map(({ t, version }) => ({ at: Date.parse(t), label: `v${version}` })),
    [marks],
  );
  const refusals = useMemo(() => refusalSeries(mode, series), [mode, series]);
  const requests = useMemo(
    (): ChartSeries[] => [
      {
        key: "requests",
        label: "Requests matched",
        tone: "muted",
        area: true,
        values: series.map((point) => (point.reported ? point.requests : null)),
      },
    ],
    [series],
  );
  const reported = series.filter(({ reported }) => reported).length;
  const isFlat = reported < 3 || refusals.every(({ values }) => values.every((value) => !value));
  const name = mode === "shadow" ? "Would-be rejections" : "Rejections";
  return (
    <div className="flex flex-col gap-4">
      <TimeSeries
        label={`${name} per ${step}`}
        times={times}
        series={refusals}
        marks={chartMarks}
        height={isFlat ? FLAT_PX : 220}
        empty="No gateway reported in this time: nothing is known."
      />
      <TimeSeries
        label={`Requests matched per ${step}`}
        times={times}
        series={requests}
        marks={chartMarks}
        height={FLAT_PX}
        empty="No gateway reported in this time: nothing is known."
      />
    </div>
  );
}

function refusalSeries(mode: Report["mode"], series: Report["series"]): ChartSeries[] {
  if (mode === "enforce")
    return [
      {
        key: "rejections",
        label: "Rejected",
        tone: "enforce",
        area: true,
        values: series.map((point) => (point.reported ? point.rejections : null)),
      },
    ];
  const newly: ChartSeries = {
    key: "newly",
    label: "Would newly reject",
    tone: "shadow",
    dashed: true,
    area: true,
    values: series.map((point) => (point.reported ? point.newly : null)),
  };
  const isMore = series.some((point) => point.wouldReject > point.newly);
  if (!isMore) return [newly];
  return [
    newly,
    {
      key: "would-reject",
      label: "With those refused already",
      tone: "muted",
      values: series.map((point) => (point.reported ? point.wouldReject : null)),
    },
  ];
}
