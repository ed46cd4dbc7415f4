"use client";

import NextLink from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { hrefWith } from "@/components/ui/cursor-pages";
import { Dialog } from "@/components/ui/dialog";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { segmentStyle } from "./segment-style";
import { RANGES } from "./time-range";

type RangePickerProps = {
  path: string;
  /** The address's other keys: they stay. */
  query: Record<string, string | undefined>;
  /** Null while two instants are given. */
  active: string | null;
  /** Offers no bound as well, which then is `active: "all"`. */
  all?: boolean;
  /** As the figures are, to start from. */
  from: string;
  to: string;
};

const NAMES = {
  "15m": "15 min",
  "1h": "1 h",
  "24h": "24 h",
  "7d": "7 d",
  "30d": "30 d",
  "90d": "90 d",
} as const;

/** Which time is shown; it stands in the address. */
export function RangePicker(props: RangePickerProps) {
  const { path, query, active, all = false, from, to } = props;
  return (
    <nav
      aria-label="Time"
      className="flex max-w-full flex-wrap rounded-md border border-border-strong/60 bg-surface p-0.5"
    >
      {all && (
        <NextLink
          href={hrefWith(path, query)}
          scroll={false}
          aria-current={active === "all" ? "true" : undefined}
          className={segmentStyle(active === "all")}
        >
          All time
        </NextLink>
      )}
      {RANGES.map((range) => (
        <NextLink
          key={range}
          href={hrefWith(path, { ...query, range })}
          scroll={false}
          aria-current={active === range ? "true" : undefined}
          className={segmentStyle(active === range)}
        >
          {NAMES[range]}
        </NextLink>
      ))}
      <CustomRange path={path} query={query} isActive={active === null} from={from} to={to} />
    </nav>
  );
}

type CustomProps = Pick<RangePickerProps, "path" | "query" | "from" | "to"> & { isActive: boolean };

function CustomRange({ path, query, isActive, from, to }: CustomProps) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [start, setStart] = useState("");
  const [end, setEnd] = useState("");
  const [error, setError] = useState<string>();

  function open(next: boolean) {
    if (next) {
      setStart(fieldText(from));
      setEnd(fieldText(to));
      setError(undefined);
    }
    setOpen(next);
  }

  function apply(event: FormEvent) {
    event.preventDefault();
    const [first, last] = [instantOf(start), instantOf(end)];
    if (first === null || last === null)
      return setError(`give both as 2026-01-31 02:51, got “${first === null ? start : end}”`);
    if (first >= last) return setError("the start must be before the end");
    setOpen(false);
    router.push(hrefWith(path, { ...query, from: first, to: last }), { scroll: false });
  }

  return (
    <Dialog
      size="sm"
      title="Choose a time"
      description="In UTC, to the minute. What is chosen stands in the address."
      open={isOpen}
      onOpenChange={open}
      trigger={
        <button type="button" className={segmentStyle(isActive)}>
          Custom<span aria-hidden>…</span>
        </button>
      }
    >
      <form onSubmit={apply} className="flex flex-col gap-3">
        <Field label="From (UTC)">
          <Input code value={start} onValueChange={setStart} />
        </Field>
        <Field label="To (UTC)">
          <Input code value={end} onValueChange={setEnd} />
        </Field>
        <FormError>{error}</FormError>
        <Button type="submit" variant="primary" className="self-end">
          Show this time
        </Button>
      </form>
    </Dialog>
  );
}

/** `2026-01-31T02:51:07.000Z` → `2026-01-31 02:51` */
function fieldText(instant: string): string {
  return instant.slice(0, 16).replace("T", " ");
}

function instantOf(text: string): string | null {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?Z?$/.exec(text.trim());
  const ms = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[3] ?? ""}Z`);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
