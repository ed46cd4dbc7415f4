"use client";

import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { IconButton } from "@/components/ui/icon-button";
import { Input } from "@/components/ui/input";
import { useRuleForm } from "./rule-form";
import { listAt, recordAt } from "./rule-input";

const PATH = ["match", "headers"] as const;

type Row = { key: number; name: string; values: string };

/** Header conditions: a name, and which values count; none means that the header is there at all. */
export function HeaderFields() {
  const form = useRuleForm();
  const saved = recordAt(form.input, PATH);
  const [rows, setRows] = useState(() => rowsOf(saved));
  const shown = isSame(rows, saved) ? rows : rowsOf(saved);
  const error = form.errorAt(PATH);

  function change(next: Row[]) {
    setRows(next);
    const entries = next
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, values }): [string, string[]] => [name.trim().toLowerCase(), valuesOf(values)]);
    form.set(PATH, entries.length === 0 ? undefined : Object.fromEntries(entries));
  }

  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">
        Headers <span className="font-normal text-muted">(optional)</span>
      </legend>
      <div className="mt-1 flex flex-col gap-2">
        {shown.map((row, i) => {
          const set = (part: Partial<Row>) =>
            change(shown.map((each) => (each.key === row.key ? { ...each, ...part } : each)));
          return (
            <div key={row.key} className="flex items-start gap-2">
              <Input
                code
                aria-label={`Header ${i + 1}: name`}
                placeholder="x-tier"
                className="max-w-48"
                value={row.name}
                onValueChange={(name) => set({ name })}
              />
              <Input
                code
                aria-label={`Header ${i + 1}: accepted values`}
                placeholder="any value, or: beta, internal"
                value={row.values}
                onValueChange={(values) => set({ values })}
              />
              <IconButton
                label={`Remove header ${i + 1}`}
                icon={<X aria-hidden />}
                onClick={() => change(shown.filter((each) => each.key !== row.key))}
              />
            </div>
          );
        })}
        <Button
          size="sm"
          className="self-start"
          onClick={() => setRows([...shown, { key: nextKey(shown), name: "", values: "" }])}
        >
          <Plus aria-hidden /> Add a header
        </Button>
      </div>
      {error && (
        <p role="alert" className="mt-1 text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function rowsOf(headers: Record<string, unknown>): Row[] {
  return Object.keys(headers).map((name, key) => ({
    key,
    name,
    values: listAt(headers, [name]).join(", "),
  }));
}

function valuesOf(text: string): string[] {
  return text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
}

/** Rows still say what is saved; only rows without a name are more. */
function isSame(rows: readonly Row[], headers: Record<string, unknown>): boolean {
  const named = rows.filter(({ name }) => name.trim() !== "");
  const names = Object.keys(headers);
  return (
    new Set(named.map(({ name }) => name.trim().toLowerCase())).size === names.length &&
    named.every(({ name, values }) => {
      const key = name.trim().toLowerCase();
      if (!names.includes(key)) return false;
      const isLast =
        named.findLast((row) => row.name.trim().toLowerCase() === key)?.values === values;
      return !isLast || valuesOf(values).join() === listAt(headers, [key]).join();
    })
  );
}

function nextKey(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(({ key }) => key)) + 1;
}
