"use client";

import { ListFilter } from "lucide-react";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { FILTER_KEYS, type ReportFilter, reportHref } from "./report-address";

export type RevisionChoice = { revision: number; words: string };

type FilterDialogProps = {
  path: string;
  keys: Record<string, string | undefined>;
  filter: ReportFilter;
  plans: readonly { id: string; name: string }[];
  /** Newest first; empty for what has none, such as a list. */
  revisions: readonly RevisionChoice[];
};

const ALL = "*";

/** Narrows the figures to what no row of theirs leads to. */
export function FilterDialog({ path, keys, filter, plans, revisions }: FilterDialogProps) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [given, setGiven] = useState(filter);
  const set = (key: keyof ReportFilter) => (value: string) =>
    setGiven((before) => ({ ...before, [key]: value === ALL ? "" : value }));
  const text = (key: keyof ReportFilter) => given[key]?.trim() ?? "";
  const isBoth = text("client") !== "" && text("route") !== "";

  function open(next: boolean) {
    if (next) setGiven(filter);
    setOpen(next);
  }

  function apply(event: FormEvent) {
    event.preventDefault();
    if (isBoth) return;
    const wanted = FILTER_KEYS.map((key) => [key, text(key)]).filter(([, value]) => value !== "");
    setOpen(false);
    router.push(reportHref(path, keys)(Object.fromEntries(wanted)), { scroll: false });
  }

  return (
    <Dialog
      size="sm"
      title="Narrow the figures"
      description="What is chosen stands in the address: a link shows the same to others."
      open={isOpen}
      onOpenChange={open}
      trigger={
        <Button>
          <ListFilter aria-hidden /> Filter
        </Button>
      }
    >
      <form onSubmit={apply} className="flex flex-col gap-3">
        <Field label="Plan">
          <Select
            value={given.plan ?? ALL}
            onValueChange={set("plan")}
            options={[
              { value: ALL, label: "All plans" },
              ...plans.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </Field>
        <Field label="Client" hint="key:<id> or ip:<address>">
          <Input code value={given.client ?? ""} onValueChange={set("client")} />
        </Field>
        <Field label="Route" hint="As the table of routes names it, such as /v1/links/:id">
          <Input code value={given.route ?? ""} onValueChange={set("route")} />
        </Field>
        {revisions.length > 0 && (
          <Field label="Revision">
            <Select
              value={given.revision ?? ALL}
              onValueChange={set("revision")}
              options={[
                { value: ALL, label: "All revisions" },
                ...revisions.map(({ revision, words }) => ({
                  value: String(revision),
                  label: `Revision ${revision}`,
                  hint: words,
                })),
              ]}
            />
          </Field>
        )}
        <FormError>
          {isBoth &&
            "Clients are not counted by route: leave one of the two out, or look into the log, which takes both."}
        </FormError>
        <Button type="submit" variant="primary" className="self-end" disabled={isBoth}>
          Show these figures
        </Button>
      </form>
    </Dialog>
  );
}
