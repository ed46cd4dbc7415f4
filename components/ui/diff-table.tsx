import { Minus, Pencil, Plus, TriangleAlert } from "lucide-react";
import { cn } from "./cn";
import { EmptyRow, RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "./table";
import { UserText } from "./user-text";

export type DiffRow = {
  /** Machine path, unique, such as `limit.perPlan.free`. */
  path: string;
  /** The field in words. */
  field: string;
  /** `null`: not there. */
  before: string | null;
  after: string | null;
  /** The change in words, such as "60 times stricter". */
  note?: string;
  /** Must be impossible to miss. */
  loud?: boolean;
  weight?: "stricter" | "looser" | "mixed" | "neutral";
};

type DiffTableProps = { label: string; rows: readonly DiffRow[]; framed?: boolean };

/** Before and after, field by field, in words. */
export function DiffTable({ label, rows, framed = true }: DiffTableProps) {
  return (
    <Table label={label} stack framed={framed}>
      <TableHead>
        <Tr>
          <Th>Field</Th>
          <Th>Before</Th>
          <Th>After</Th>
          <Th>Effect</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.length === 0 && <EmptyRow columns={4}>Nothing differs.</EmptyRow>}
        {rows.map((row) => (
          <Tr key={row.path}>
            <RowHead title={row.path} className="align-top">
              <span className="inline-flex items-center gap-1.5">
                <ChangeIcon row={row} />
                <bdi>{row.field}</bdi>
              </span>
            </RowHead>
            <Td label="Before" className="align-top sm:min-w-36">
              <Value text={row.before} look="before" />
            </Td>
            <Td label="After" className="align-top sm:min-w-36">
              <Value text={row.after} look="after" />
            </Td>
            <Td label={row.note ? "Effect" : ""} className="align-top max-sm:empty:hidden">
              {row.note && (
                <span
                  className={cn(
                    row.weight === "stricter" && "text-danger",
                    row.weight === "mixed" && "text-warning",
                    row.loud && "font-semibold",
                    row.weight === "looser" && "text-success",
                  )}
                >
                  {row.loud && (
                    <TriangleAlert aria-hidden className="me-1.5 mb-0.5 inline size-3.5" />
                  )}
                  {row.note}
                </span>
              )}
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function ChangeIcon({ row }: { row: DiffRow }) {
  const [Icon, word] =
    row.before === null
      ? [Plus, "added"]
      : row.after === null
        ? [Minus, "removed"]
        : [Pencil, "changed"];
  return (
    <>
      <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
      <span className="sr-only">{word}</span>
    </>
  );
}

function Value({ text, look }: { text: string | null; look: "before" | "after" }) {
  if (text === null) return <span className="text-muted">not set</span>;
  return look === "before" ? (
    <del className="break-words text-muted decoration-muted/70">
      <UserText>{text}</UserText>
    </del>
  ) : (
    <ins className="break-words font-medium no-underline">
      <UserText>{text}</UserText>
    </ins>
  );
}
