"use client";

import type { ReactNode } from "react";
import { LinesInput } from "@/components/ui/lines-input";
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
export function LinesField({ path, ...input }: LinesFieldProps) {
  const form = useRuleForm();
  return (
    <LinesInput
      {...input}
      optional
      error={form.errorAt(path)}
      lines={listAt(form.input, path)}
      onChange={(lines) => form.set(path, lines.length === 0 ? undefined : lines)}
    />
  );
}
