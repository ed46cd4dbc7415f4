"use client";

import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { type Path, pathText, valueAt, withValueAt } from "@/components/rules/object-path";
import { fieldErrors } from "@/lib/core/parse";
import { SettingsSchema } from "@/lib/core/ruleset";

export type SettingsForm = {
  /** As it stands in the form, with every key that the form does not know. */
  input: unknown;
  isValid: boolean;
  isDirty: boolean;
  at(path: Path): unknown;
  set(path: Path, value: unknown): void;
  reset(): void;
  errorAt(path: Path): string | undefined;
};

export function useSettingsFormState(saved: unknown): SettingsForm {
  const [input, setInput] = useState(saved);
  const errors = useMemo(() => {
    const parsed = SettingsSchema.safeParse(input);
    return parsed.success ? [] : fieldErrors(parsed.error);
  }, [input]);
  return {
    input,
    isValid: errors.length === 0,
    isDirty: JSON.stringify(input) !== JSON.stringify(saved),
    at: (path) => valueAt(input, path),
    set: (path, value) => setInput((now: unknown) => withValueAt(now, path, value)),
    reset: () => setInput(saved),
    errorAt: (path) => {
      const place = pathText(path);
      return errors.find((each) => each.path === place || each.path.startsWith(`${place}.`))
        ?.message;
    },
  };
}

const Context = createContext<SettingsForm | null>(null);

export function SettingsFormProvider({
  value,
  children,
}: {
  value: SettingsForm;
  children: ReactNode;
}) {
  return <Context value={value}>{children}</Context>;
}

export function useSettingsForm(): SettingsForm {
  const form = useContext(Context);
  if (form === null) throw new Error("a field of the settings stands outside of them");
  return form;
}
