"use client";

import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { cn } from "@/components/ui/cn";
import { useChartColors } from "./chart-colors";
import { plotData, plotOptions } from "./plot";
import type { ChartSeries, TimeSeriesData } from "./series";
import { SeriesLegend } from "./series-legend";
import { SeriesTable } from "./series-table";

type TimeSeriesProps = TimeSeriesData & {
  /** Name of the chart, such as "Rejections a minute". */
  label: string;
  height?: number;
  /** Said in place of the chart when no value is known. */
  empty?: string;
};

/** Lines over time with publish marks, and the same figures as a table under it. */
export function TimeSeries(props: TimeSeriesProps) {
  const { label, times, series, marks, height = 220, empty = "No data in this time." } = props;
  const [index, setIndex] = useState<number | null>(null);
  const known = series.some((each) => each.values.some((value) => value !== null));

  return (
    <figure aria-label={label} className="min-w-0">
      <SeriesLegend times={times} series={series} index={index} />
      {known ? (
        <Plot
          times={times}
          series={series}
          {...(marks ? { marks } : {})}
          height={height}
          onCursor={setIndex}
        />
      ) : (
        <p style={{ height }} className="flex items-center justify-center text-muted">
          {empty}
        </p>
      )}
      {known && (
        <SeriesTable label={label} times={times} series={series} {...(marks ? { marks } : {})} />
      )}
    </figure>
  );
}

type PlotProps = TimeSeriesData & { height: number; onCursor: (index: number | null) => void };

function Plot({ times, series, marks, height, onCursor }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef<TimeSeriesData>({ times, series });
  latest.current = { times, series };
  const colors = useChartColors();
  const shape = JSON.stringify([series.map(look), marks]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the looks of series and marks
  useEffect(() => {
    const element = box.current;
    if (!element || !colors) return;
    const width = element.clientWidth;
    const options = plotOptions({
      times,
      series,
      ...(marks ? { marks } : {}),
      colors,
      width,
      height,
      onCursor,
    });
    const made = new uPlot(options, plotData(latest.current), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [colors, height, shape, onCursor]);

  useEffect(() => {
    plot.current?.setData(plotData({ times, series }));
  }, [times, series]);

  return (
    <div
      ref={box}
      aria-hidden
      style={{ height }}
      className={cn(
        "w-full min-w-0 overflow-hidden",
        !colors && "animate-skeleton rounded bg-hover",
      )}
    />
  );
}

function look(series: ChartSeries) {
  return [series.key, series.label, series.tone, series.dashed, series.area];
}
