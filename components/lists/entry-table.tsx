"use client";

import { Pencil, Trash2, Undo2 } from "lucide-react";
import { useRefusal } from "@/components/shell/permissions";
import { Badge } from "@/components/ui/badge";
import { cn } from "@/components/ui/cn";
import { formatCount } from "@/components/ui/format";
import { IconButton } from "@/components/ui/icon-button";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { ListName } from "@/lib/core/list-entry";
import type { ListRow } from "./list-actions";

type EntryTableProps = {
  list: ListName;
  rows: readonly ListRow[];
  empty: string;
  isBusy: boolean;
  onChange: (row: ListRow) => void;
  onRemove: (row: ListRow) => void;
  onRestore: (row: ListRow) => void;
};

export function EntryTable(props: EntryTableProps) {
  const { list, rows, empty } = props;
  const columns = list === "flood" ? 4 : 3;
  return (
    <Table label={`Entries of the ${list} list`} stack framed={false}>
      <TableHead>
        <Tr>
          <Th className="w-80">Who</Th>
          {list === "flood" && (
            <Th align="end" className="w-40">
              Requests a second
            </Th>
          )}
          <Th>Reason</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.length === 0 && <EmptyRow columns={columns}>{empty}</EmptyRow>}
        {rows.map((row) => (
          <EntryLine key={row.value} {...props} row={row} />
        ))}
      </TableBody>
    </Table>
  );
}

const STATES = {
  added: { tone: "accent", words: "added" },
  changed: { tone: "accent", words: "changed" },
  removed: { tone: "danger", words: "removed" },
} as const;

function EntryLine({ list, row, isBusy, ...on }: EntryTableProps & { row: ListRow }) {
  const refused = useRefusal("draft");
  const { value, reason, perSecond, state } = row;
  const isRemoved = state === "removed";
  return (
    <Tr>
      <RowHead>
        <span className="flex flex-wrap items-center gap-x-2">
          <UserText code className={cn(isRemoved && "line-through")}>
            {value}
          </UserText>
          {state !== "live" && (
            <Badge tone={STATES[state].tone} title="In your draft, not live yet">
              {STATES[state].words}
            </Badge>
          )}
        </span>
      </RowHead>
      {list === "flood" && (
        <Td label="Requests a second" align="end">
          {perSecond === null ? "" : formatCount(perSecond)}
        </Td>
      )}
      <Td label="Reason">
        {reason === "" ? (
          <span className="text-muted">none given</span>
        ) : (
          <UserText>{reason}</UserText>
        )}
      </Td>
      <Td>
        <span className="flex justify-end">
          {isRemoved ? (
            <IconButton
              size="icon-sm"
              label={`Keep ${value} on the ${list} list`}
              icon={<Undo2 aria-hidden />}
              refused={refused}
              disabled={isBusy}
              onClick={() => on.onRestore(row)}
            />
          ) : (
            <>
              <IconButton
                size="icon-sm"
                label={`Change ${value} on the ${list} list`}
                icon={<Pencil aria-hidden />}
                refused={refused}
                disabled={isBusy}
                onClick={() => on.onChange(row)}
              />
              <IconButton
                size="icon-sm"
                label={`Take ${value} off the ${list} list`}
                icon={<Trash2 aria-hidden />}
                refused={refused}
                disabled={isBusy}
                onClick={() => on.onRemove(row)}
              />
            </>
          )}
        </span>
      </Td>
    </Tr>
  );
}
