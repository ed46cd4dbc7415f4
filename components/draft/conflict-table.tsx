import { valueText } from "@/components/rules/field-diffs";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { FieldDiff } from "@/lib/core/api/change";
import type { DraftConflict } from "./draft-actions-data";

/** Field by field: what it was when the draft began, what is live now, what the draft says. */
export function ConflictTable({ conflict: { name, theirs, mine } }: { conflict: DraftConflict }) {
  const paths = [...new Set([...theirs.diff, ...mine.diff].map(({ path }) => path))];
  return (
    <Table label={`Both changes of ${name}`} stack>
      <TableHead>
        <Tr>
          <Th>Field</Th>
          <Th>At the base</Th>
          <Th>Theirs, live now</Th>
          <Th>Mine, in the draft</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {paths.map((path) => {
          const their = theirs.diff.find((diff) => diff.path === path);
          const my = mine.diff.find((diff) => diff.path === path);
          return (
            <Tr key={path}>
              <RowHead className="align-top">
                <bdi>{path === "" ? "whole object" : path}</bdi>
              </RowHead>
              <Td label="At the base" className="align-top text-muted">
                <Value value={(their ?? my)?.before} />
              </Td>
              <Td label="Theirs, live now" className="align-top">
                <Side diff={their} />
              </Td>
              <Td label="Mine, in the draft" className="align-top">
                <Side diff={my} />
              </Td>
            </Tr>
          );
        })}
      </TableBody>
    </Table>
  );
}

function Side({ diff }: { diff: FieldDiff | undefined }) {
  if (diff === undefined) return <span className="text-muted">as at the base</span>;
  return (
    <span className="font-medium">
      {diff.path === "" ? <UserText>{diff.sentence}</UserText> : <Value value={diff.after} />}
    </span>
  );
}

function Value({ value }: { value: unknown }) {
  const text = valueText(value);
  if (text === null) return <span className="text-muted">not set</span>;
  return <UserText className="line-clamp-6 break-words">{text}</UserText>;
}
