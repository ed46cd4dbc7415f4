"use client";

import { type ReactNode, useState } from "react";
import { Field } from "./field";
import { Textarea } from "./input";

type LinesInputProps = {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  placeholder?: string;
  rows?: number;
  lines: readonly string[];
  onChange(lines: string[]): void;
};

/** A list, one entry a line. What is being typed may end in an empty line, which is no entry yet. */
export function LinesInput(props: LinesInputProps) {
  const { label, hint, error, optional = false, placeholder, rows = 3, lines, onChange } = props;
  const [typed, setTyped] = useState(lines.join("\n"));
  const own = linesOf(typed);
  const isSame = own.length === lines.length && own.every((line, i) => line === lines[i]);
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <Textarea
        code
        rows={rows}
        placeholder={placeholder}
        value={isSame ? typed : lines.join("\n")}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(linesOf(event.target.value));
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
