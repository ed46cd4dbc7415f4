import { Sparkline } from "@/components/charts/sparkline";
import { formatCompact, formatCount } from "@/components/ui/format";
import type { RuleHits } from "@/lib/core/api/rules";
import type { Mode } from "@/lib/core/rule";
import { againstYesterday } from "./sort-rules";

type HitsProps = { mode: Mode; hits: RuleHits };

/** Rejections a minute now, and the last hour as a line. Would-be ones say so. */
export function HitsNow({ mode, hits }: HitsProps) {
  if (mode === "off") return <span className="text-muted">not counted</span>;
  const isShadow = hits.mode === "shadow";
  const what = isShadow ? "would-be rejections" : "rejections";
  return (
    <span className="inline-flex items-center justify-end gap-2.5">
      <Sparkline
        values={hits.sparkline}
        label={`${what} a minute, last hour`}
        tone={hits.lastHour === 0 ? "muted" : isShadow ? "shadow" : "enforce"}
        width={64}
      />
      <span className="inline-flex min-w-15 flex-col items-end leading-tight">
        <span className="text-base font-semibold tabular-nums">{perMinute(hits.perMinuteNow)}</span>
        <span className={isShadow ? "text-xs text-shadow" : "text-xs text-muted"}>
          {isShadow ? "would-be" : "a minute"}
        </span>
      </span>
    </span>
  );
}

/** `×4.2`, `+20%`, `−35%`: the last hour against the same hour a day ago. */
export function AgainstYesterday({ mode, hits }: HitsProps) {
  const ratio = mode === "off" ? null : againstYesterday(hits);
  if (ratio === null || hits.yesterday === null)
    return (
      <span className="text-muted" title="Nothing was counted in this hour yesterday">
        no data
      </span>
    );
  const title = `${formatCount(hits.lastHour)} in the last hour, ${formatCount(hits.yesterday)} in this hour yesterday`;
  return (
    <span title={title} className={ratio >= 2 ? "font-medium text-danger" : undefined}>
      {ratioWords(ratio)}
    </span>
  );
}

function perMinute(value: number): string {
  return value > 0 && value < 1 ? "<1" : formatCompact(Math.round(value));
}

function ratioWords(ratio: number): string {
  if (ratio === Number.POSITIVE_INFINITY) return "new";
  if (ratio >= 2) return `×${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)}`;
  const percent = Math.round((ratio - 1) * 100);
  return percent === 0 ? "same" : percent > 0 ? `+${percent}%` : `−${-percent}%`;
}
