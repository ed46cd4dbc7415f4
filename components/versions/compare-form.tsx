"use client";

import { GitCompareArrows } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Combobox } from "@/components/ui/combobox";

export type VersionChoice = { version: number; message: string; live: boolean };

type CompareFormProps = { versions: readonly VersionChoice[]; from: number; to: number };

/** Any two versions side by side; which ones stands in the address. */
export function CompareForm({ versions, from, to }: CompareFormProps) {
  const router = useRouter();
  const [start, setStart] = useState<string | null>(String(from));
  const [end, setEnd] = useState<string | null>(String(to));
  const options = versions.map(({ version, message, live }) => ({
    value: String(version),
    label: `v${version}${live ? " (live)" : ""}`,
    hint: message,
  }));
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (start && end) router.push(`/versions/compare?from=${start}&to=${end}`);
      }}
    >
      <Combobox
        aria-label="From version"
        className="w-32"
        options={options}
        value={start}
        onValueChange={setStart}
      />
      <span className="text-muted">to</span>
      <Combobox
        aria-label="To version"
        className="w-32"
        options={options}
        value={end}
        onValueChange={setEnd}
      />
      <Button type="submit" disabled={!start || !end}>
        <GitCompareArrows aria-hidden /> Compare
      </Button>
    </form>
  );
}
