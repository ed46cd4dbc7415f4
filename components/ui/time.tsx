"use client";

import { useEffect, useState } from "react";
import { cn } from "./cn";
import { formatAge, formatUtc, type TimeFormat } from "./format";
import { useNow } from "./now";

type TimeProps = {
  at: Date | string | number;
  format?: TimeFormat;
  /** `inline`: time · age. `stacked`: age under the time. `age`: age, time in the title. `absolute`: no age. */
  show?: "inline" | "stacked" | "age" | "absolute";
  className?: string;
};

/** A moment, in UTC and as an age that keeps counting. The title adds the reader's own clock. */
export function Time({ at, format = "minute", show = "inline", className }: TimeProps) {
  const date = new Date(at);
  const [local, setLocal] = useState<string>();
  const ms = date.getTime();

  useEffect(() => {
    setLocal(formatLocal(new Date(ms)));
  }, [ms]);

  const absolute = formatUtc(date, format);
  const title = [formatUtc(date), local].filter(Boolean).join(" · ");
  return (
    <time
      dateTime={date.toISOString()}
      title={title}
      className={cn(
        "whitespace-nowrap tabular-nums",
        show === "stacked" && "inline-flex flex-col",
        className,
      )}
    >
      {show === "age" ? null : <span>{absolute}</span>}
      {show === "inline" && <span className="text-muted"> · </span>}
      {show !== "absolute" && <Age ms={ms} className={show === "age" ? "" : "text-muted"} />}
    </time>
  );
}

/** The age of a last use; null: there was none yet. */
export function LastUsed({ at }: { at: string | null }) {
  return at === null ? <span className="text-muted">not yet</span> : <Time at={at} show="age" />;
}

function Age({ ms, className }: { ms: number; className: string }) {
  const now = useNow();
  return (
    <span className={className} suppressHydrationWarning>
      {formatAge(ms, now)}
    </span>
  );
}

function formatLocal(date: Date): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const time = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" }).format(
    date,
  );
  return `${time} local (${zone})`;
}
