"use client";

import { type ReactNode, useState } from "react";
import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";
import type { Path } from "./object-path";
import { useRuleForm } from "./rule-form";
import { listAt } from "./rule-input";

type LinesFieldProps = {
  path: Path;
  label: string;
  hint: ReactNode;
  placeholder: string;
  rows?: number;
};

/** A list, one entry a line, as it is pasted; an empty one takes the condition away. */
export function LinesField({ path, label, hint, placeholder, rows = 3 }: LinesFieldProps) {
  const form = useRuleForm();
  const items = listAt(form.input, path);
  // What is being typed may end in an empty line, which is no entry yet.
  const [typed, setTyped] = useState(items.join("\n"));
  const text = sameItems(linesOf(typed), items) ? typed : items.join("\n");
  return (
    <Field label={label} hint={hint} error={form.errorAt(path)} optional>
      <Textarea
        code
        rows={rows}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          const next = event.target.value;
          setTyped(next);
          const lines = linesOf(next);
          form.set(path, lines.length === 0 ? undefined : lines);
        }}
      />
    </Field>
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function sameItems(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
