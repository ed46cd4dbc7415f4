"use client";

import { Plus, Undo2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { HitsNow } from "@/components/rules/hits-now";
import { PermittedButton, useRefusal } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Card } from "@/components/ui/card";
import { FormError } from "@/components/ui/field";
import { formatCount, formatPlural } from "@/components/ui/format";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import { EntryDialog } from "./entry-dialog";
import { EntryTable } from "./entry-table";
import type { ListActions, ListRow, ListSection } from "./list-actions";
import { LIST_WORDS } from "./list-words";

type ListCardProps = {
  section: ListSection;
  isSearched: boolean;
  /** Whom the page was opened to put on this list. */
  asked?: string | undefined;
  actions: ListActions;
};

const ASKED: { row: ListRow | null } = { row: null };

/** One list as the caller's draft has it, with what it drops now. */
export function ListCard({ section, isSearched, asked, actions }: ListCardProps) {
  const { name, rows, total, found, change, hits } = section;
  const { title, does } = LIST_WORDS[name];
  const router = useRouter();
  const refused = useRefusal("draft");
  const isAsked = asked !== undefined && refused === undefined;
  const [open, setOpen] = useState(isAsked ? ASKED : undefined);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const run = (act: () => Promise<{ ok: true } | { ok: false; message: string }>) =>
    startTransition(async () => {
      const result = await act();
      setError(result.ok ? undefined : result.message);
    });
  const report = `/rules/_${name}/report`;
  return (
    <Card
      flush
      id={name}
      title={
        <>
          {title}{" "}
          <span className="font-normal text-muted text-sm">
            {formatPlural(total, "entry", "entries")}
          </span>
        </>
      }
      description={does}
      actions={
        <>
          {hits !== null && (
            <>
              <HitsNow mode="enforce" hits={hits} />
              <ButtonLink href={report} aria-label={`Report of the ${name} list`}>
                Report
              </ButtonLink>
            </>
          )}
          <PermittedButton
            needs="draft"
            variant="primary"
            aria-label={`Add to the ${name} list`}
            onClick={() => setOpen({ row: null })}
          >
            <Plus aria-hidden /> Add
          </PermittedButton>
        </>
      }
    >
      {change !== null && (
        <div className="flex flex-wrap items-center justify-between gap-2 border-t bg-accent-subtle px-4 py-2 text-sm">
          <span className="min-w-0">
            <TextLink href="/draft">In your draft</TextLink>: <UserText>{change}</UserText>
          </span>
          <PermittedButton
            needs="draft"
            size="sm"
            variant="ghost"
            pending={pending}
            aria-label={`Revert the ${name} list in the draft`}
            onClick={() => run(() => callAction(actions.revert, { kind: "lists", id: name }))}
          >
            <Undo2 aria-hidden /> Revert
          </PermittedButton>
        </div>
      )}
      {error !== undefined && (
        <div className="border-t px-4 py-2">
          <FormError>{error}</FormError>
        </div>
      )}
      <div className="border-t">
        <EntryTable
          list={name}
          rows={rows}
          empty={isSearched && total > 0 ? "No entry fits the search." : LIST_WORDS[name].empty}
          isBusy={pending}
          onChange={(row) => setOpen({ row })}
          onRemove={({ value }) => run(() => callAction(actions.remove, { list: name, value }))}
          onRestore={({ value, reason, perSecond }) =>
            run(() =>
              callAction(actions.save, {
                list: name,
                values: [value],
                reason,
                perSecond,
                replaces: null,
              }),
            )
          }
        />
      </div>
      {found > rows.length && (
        <p className="border-t px-4 py-2 text-muted text-sm">
          The first {formatCount(rows.length)} of {formatCount(found)}: search for the others by
          value or reason.
        </p>
      )}
      {open !== undefined && (
        <EntryDialog
          list={name}
          row={open.row}
          start={open === ASKED ? asked : undefined}
          save={actions.save}
          onClose={() => {
            setOpen(undefined);
            // A reload must not ask again.
            if (open === ASKED) router.replace("/lists", { scroll: false });
          }}
        />
      )}
    </Card>
  );
}
