export type SeriesTone = "enforce" | "shadow" | "accent" | "muted" | "danger";

export type ChartSeries = {
  key: string;
  label: string;
  /** One value a time; `null` is "no data" and leaves a gap. */
  values: readonly (number | null)[];
  tone: SeriesTone;
  /** Drawn dashed, for would-be figures: told apart without colour. */
  dashed?: boolean;
  /** Filled under the line. */
  area?: boolean;
};

/** A moment drawn as a line across the chart, such as a publish. */
export type ChartMark = { at: number; label: string };

export type TimeSeriesData = {
  /** Epoch milliseconds, rising. */
  times: readonly number[];
  series: readonly ChartSeries[];
  marks?: readonly ChartMark[];
};

export const toneTokens = {
  enforce: "enforce",
  shadow: "shadow-mode",
  accent: "accent",
  muted: "muted",
  danger: "danger",
} as const;
