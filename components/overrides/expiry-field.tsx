"use client";

import { Field } from "@/components/ui/field";
import { formatAge, formatUtc } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import { useNow } from "@/components/ui/now";
import { Select } from "@/components/ui/select";

/** How long from when it is saved, or until a moment. */
export type Expiry =
  | { kind: "hours"; hours: number }
  /** As a browser's field has it, in UTC: `2026-03-10T09:00`. */
  | { kind: "at"; text: string }
  /** As it is now. */
  | { kind: "kept"; at: string };

const CHOICES = [
  { hours: 1, label: "1 hour" },
  { hours: 8, label: "8 hours" },
  { hours: 24, label: "24 hours" },
  { hours: 7 * 24, label: "7 days" },
  { hours: 14 * 24, label: "14 days" },
  { hours: 30 * 24, label: "30 days" },
  { hours: 90 * 24, label: "90 days" },
] as const;
const HOUR_MS = 3_600_000;
const AT = "at";
const KEPT = "kept";

/** Null while what is typed is no moment. */
export function expiryMs(expiry: Expiry, nowMs: number): number | null {
  switch (expiry.kind) {
    case "hours":
      return nowMs + expiry.hours * HOUR_MS;
    case "kept":
      return Date.parse(expiry.at);
    case "at": {
      const ms = Date.parse(`${expiry.text}Z`);
      return Number.isNaN(ms) ? null : ms;
    }
  }
}

type ExpiryFieldProps = {
  expiry: Expiry;
  /** Of an override that is there. */
  known: string | null;
  /** Null: as long as it is wanted. */
  hoursMax: number | null;
  error: string | undefined;
  onChange: (expiry: Expiry) => void;
};

export function ExpiryField({ expiry, known, hoursMax, error, onChange }: ExpiryFieldProps) {
  const now = useNow();
  const ms = expiryMs(expiry, now);
  const value = expiry.kind === "hours" ? String(expiry.hours) : expiry.kind;
  const options = [
    ...(known === null
      ? []
      : [{ value: KEPT, label: `as it is: ${formatAge(Date.parse(known), now)}` }]),
    ...CHOICES.filter(({ hours }) => hoursMax === null || hours <= hoursMax).map(
      ({ hours, label }) => ({ value: String(hours), label: `in ${label}` }),
    ),
    { value: AT, label: "at a moment" },
  ];
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <Field
        label="Expires"
        error={expiry.kind === "at" ? undefined : error}
        hint={
          <span suppressHydrationWarning>
            {ms === null ? "" : `${formatUtc(new Date(ms), "minute")}. `}
            {hoursMax !== null && `Your role may raise for ${hoursMax} hours at most.`}
          </span>
        }
      >
        <Select
          options={options}
          value={value}
          onValueChange={(next) => {
            if (next === KEPT && known !== null) onChange({ kind: "kept", at: known });
            else if (next === AT)
              onChange({ kind: "at", text: new Date(ms ?? now).toISOString().slice(0, 16) });
            else onChange({ kind: "hours", hours: Number(next) });
          }}
        />
      </Field>
      {expiry.kind === "at" && (
        <Field label="Moment, in UTC" error={error}>
          <Input
            type="datetime-local"
            value={expiry.text}
            onValueChange={(text) => onChange({ kind: "at", text })}
          />
        </Field>
      )}
    </div>
  );
}
