"use client";

import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { FieldError } from "@/lib/core/errors";
import { fieldErrors } from "@/lib/core/parse";
import type { Plan } from "@/lib/core/plan";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import { type Path, pathText, valueAt, withValueAt } from "./object-path";

/** A rule as it stands in the form: anything that was typed, and every key that the form does not know. */
export type RuleInput = Record<string, unknown>;

export type RuleForm = {
  input: RuleInput;
  /** The rule, once everything typed is valid. */
  rule: Rule | null;
  errors: readonly FieldError[];
  isDirty: boolean;
  set(path: Path, value: unknown): void;
  /** Takes a whole other state, such as the text view's. */
  replace(input: RuleInput): void;
  /** Starts anew from what is saved. */
  reset(input: RuleInput): void;
  /** Says what is wrong everywhere, also where nothing was typed yet. */
  showAll(serverErrors?: readonly FieldError[]): void;
  /** What to show at a field: its own error or one below it. */
  errorAt(path: Path): string | undefined;
};

export function useRuleFormState(saved: RuleInput): RuleForm {
  const [start, setStart] = useState(saved);
  const [input, setInput] = useState(saved);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isAllShown, setAllShown] = useState(false);
  const [serverErrors, setServerErrors] = useState<readonly FieldError[]>([]);
  const parsed = useMemo(() => RuleSchema.safeParse(input), [input]);
  const own = useMemo(() => (parsed.success ? [] : fieldErrors(parsed.error)), [parsed]);
  const errors = own.length > 0 ? own : serverErrors;

  const begin = (next: RuleInput) => {
    setInput(next);
    setStart(next);
    setTouched(new Set());
    setAllShown(false);
    setServerErrors([]);
  };

  return {
    input,
    rule: parsed.success ? parsed.data : null,
    errors,
    isDirty: input !== start,
    set: (path, value) => {
      setInput((now) => asInput(withValueAt(now, path, value)));
      setTouched((now) => new Set(now).add(pathText(path)));
      setServerErrors([]);
    },
    replace: (next) => {
      setInput(next);
      setAllShown(true);
      setServerErrors([]);
    },
    reset: begin,
    showAll: (fromServer = []) => {
      setAllShown(true);
      setServerErrors(fromServer);
    },
    errorAt: (path) => {
      const place = pathText(path);
      const found = errors.find((error) => isWithin(error.path, place));
      if (found === undefined) return undefined;
      const isShown = isAllShown || [...touched].some((text) => isWithin(text, place));
      if (!isShown) return undefined;
      const line = Number(found.path.slice(place.length + 1).split(".")[0] || Number.NaN);
      return Number.isInteger(line) ? `line ${line + 1}: ${found.message}` : found.message;
    },
  };
}

type FormContext = RuleForm & { plans: readonly Plan[]; live: Rule | null };

const Context = createContext<FormContext | null>(null);

export function RuleFormProvider({ value, children }: { value: FormContext; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

export function useRuleForm(): FormContext {
  const form = useContext(Context);
  if (form === null) throw new Error("a field of the rule editor stands outside of it");
  return form;
}

/** The text at a path; what is not text is shown as it would be written. */
export function textAt(input: RuleInput, path: Path): string {
  const value = valueAt(input, path);
  return value === undefined || value === null ? "" : String(value);
}

export function numberAt(input: RuleInput, path: Path): number | null {
  const value = valueAt(input, path);
  return typeof value === "number" ? value : null;
}

export function listAt(input: RuleInput, path: Path): string[] {
  const value = valueAt(input, path);
  return Array.isArray(value) ? value.map(String) : [];
}

export function recordAt(input: RuleInput, path: Path): Record<string, unknown> {
  const value = valueAt(input, path);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function isWithin(path: string, place: string): boolean {
  return place === "" || path === place || path.startsWith(`${place}.`);
}

function asInput(value: unknown): RuleInput {
  return recordAt({ value }, ["value"]);
}
