"use client";

import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { FieldError } from "@/lib/core/errors";
import { fieldErrors } from "@/lib/core/parse";
import type { Plan } from "@/lib/core/plan";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import { type Kept, switchWay, type Way } from "./limit-ways";
import { type Path, pathText, withValueAt } from "./object-path";
import { type RuleInput, recordAt } from "./rule-input";

export type RuleForm = {
  input: RuleInput;
  /** The rule, once everything typed is valid. */
  rule: Rule | null;
  /** What it would do, also while its name and id are not written yet. */
  preview: Rule | null;
  errors: readonly FieldError[];
  isDirty: boolean;
  set(path: Path, value: unknown): void;
  /** Another kind of limit; what it has no place for is kept for the way back. */
  switchWay(way: Way): void;
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
  const [kept, setKept] = useState<Kept>(new Map());
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isAllShown, setAllShown] = useState(false);
  const [serverErrors, setServerErrors] = useState<readonly FieldError[]>([]);
  const parsed = useMemo(() => RuleSchema.safeParse(input), [input]);
  const preview = useMemo(
    () => parsed.data ?? RuleSchema.safeParse({ ...input, ...UNNAMED }).data ?? null,
    [parsed, input],
  );
  const own = useMemo(() => (parsed.success ? [] : fieldErrors(parsed.error)), [parsed]);
  const errors = own.length > 0 ? own : serverErrors;

  const begin = (next: RuleInput) => {
    setInput(next);
    setStart(next);
    setKept(new Map());
    setTouched(new Set());
    setAllShown(false);
    setServerErrors([]);
  };

  return {
    input,
    rule: parsed.data ?? null,
    preview,
    errors,
    isDirty: input !== start,
    set: (path, value) => {
      setInput((now) => asInput(withValueAt(now, path, value)));
      setTouched((now) => new Set(now).add(pathText(path)));
      setServerErrors([]);
    },
    switchWay: (way) => {
      const next = switchWay(input, way, kept);
      setInput(next.input);
      setKept(next.kept);
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

const UNNAMED = { id: "unnamed", name: "Unnamed", description: "" };

type FormContext = RuleForm & {
  plans: readonly Plan[];
  /** The route templates. */
  routes: readonly string[];
  live: Rule | null;
};

const Context = createContext<FormContext | null>(null);

export function RuleFormProvider({ value, children }: { value: FormContext; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

export function useRuleForm(): FormContext {
  const form = useContext(Context);
  if (form === null) throw new Error("a field of the rule editor stands outside of it");
  return form;
}

function isWithin(path: string, place: string): boolean {
  return place === "" || path === place || path.startsWith(`${place}.`);
}

function asInput(value: unknown): RuleInput {
  return recordAt({ value }, ["value"]);
}
