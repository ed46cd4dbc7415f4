import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./cn";
import { ScrollRegion } from "./scroll-region";

// Stacked rows are laid out as blocks, which takes a table's meaning away in some browsers: say it again.
const roles = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  head: { role: "columnheader" },
  rowHead: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

type TableProps = ComponentProps<"table"> & {
  /** Name of the table for screen readers. */
  label: string;
  /** Below 640 px: each row as a block of label and value (cells need `label`), instead of sideways scrolling. */
  stack?: boolean;
  /** Draws its own frame; off when it already sits in a Card. */
  framed?: boolean;
  /** Height limit of the scrolling area, such as "max-h-96"; the header then sticks inside it. */
  scrollClassName?: string;
};

export function Table(props: TableProps) {
  const { label, stack = false, framed = true, scrollClassName, className, ...rest } = props;
  return (
    <ScrollRegion
      label={label}
      className={cn(
        "relative min-w-0 overflow-x-auto -outline-offset-2 [--sticky-top:0px]",
        framed && "rounded-lg border bg-surface",
        scrollClassName
          ? ["overflow-y-auto", scrollClassName]
          : "lg:not-data-scrolls:overflow-visible lg:not-data-scrolls:[--sticky-top:var(--topbar-height,0px)]",
      )}
    >
      <table
        {...roles.table}
        aria-label={label}
        data-stack={stack ? "" : undefined}
        className={cn(
          "w-full border-separate border-spacing-0 text-start text-sm",
          framed && [
            "[&>thead_th:first-child]:rounded-ss-lg [&>thead_th:last-child]:rounded-se-lg",
            "[&>tbody>tr:last-child>*:first-child]:rounded-es-lg [&>tbody>tr:last-child>*:last-child]:rounded-ee-lg",
          ],
          className,
        )}
        {...rest}
      />
    </ScrollRegion>
  );
}

export function TableHead({ className, ...props }: ComponentProps<"thead">) {
  return (
    <thead
      {...roles.group}
      className={cn("sticky top-(--sticky-top) z-10", className)}
      {...props}
    />
  );
}

export function TableBody({ className, ...props }: ComponentProps<"tbody">) {
  return (
    <tbody
      {...roles.group}
      className={cn("[&>tr:not(:first-child)>*]:border-t", className)}
      {...props}
    />
  );
}

export function Tr({ className, ...props }: ComponentProps<"tr">) {
  return (
    <tr {...roles.row} className={cn("[tbody>&]:hover:*:bg-hover/60", className)} {...props} />
  );
}

type Align = "start" | "end";

export function Th({
  align = "start",
  className,
  ...props
}: Omit<ComponentProps<"th">, "align"> & { align?: Align }) {
  return (
    <th
      scope="col"
      {...roles.head}
      className={cn(
        "h-8 whitespace-nowrap border-b bg-sunken px-3 text-xs font-medium text-muted first:ps-4 last:pe-4",
        align === "end" ? "text-end" : "text-start",
        className,
      )}
      {...props}
    />
  );
}

type TdProps = Omit<ComponentProps<"td">, "align"> & {
  align?: Align;
  /** Column name, shown beside the value when rows are stacked. */
  label?: string;
};

export function Td({ align = "start", label, className, ...props }: TdProps) {
  return (
    <td
      {...roles.cell}
      data-label={label}
      className={cn(
        "h-10 px-3 py-1.5 align-middle first:ps-4 last:pe-4",
        align === "end" && "text-end tabular-nums",
        className,
      )}
      {...props}
    />
  );
}

/** The cell that names its row. */
export function RowHead({ label, className, ...props }: ComponentProps<"th"> & { label?: string }) {
  return (
    <th
      scope="row"
      {...roles.rowHead}
      data-label={label}
      className={cn("h-10 px-3 py-1.5 text-start align-middle font-medium first:ps-4", className)}
      {...props}
    />
  );
}

export type SortDirection = "asc" | "desc" | false;

type SortThProps = {
  children: ReactNode;
  direction: SortDirection;
  onSort: () => void;
  align?: Align;
  /** What the order goes by, when the name does not say it. */
  title?: string;
  className?: string;
};

export function SortTh(props: SortThProps) {
  const { children, direction, onSort, align = "start", title, className } = props;
  const Icon = direction === "asc" ? ArrowUp : direction === "desc" ? ArrowDown : ChevronsUpDown;
  return (
    <Th
      align={align}
      className={className}
      aria-sort={direction === "asc" ? "ascending" : direction === "desc" ? "descending" : "none"}
    >
      <button
        type="button"
        title={title}
        onClick={onSort}
        className={cn(
          "-mx-1 inline-flex h-6 items-center gap-1 rounded px-1 hover:text-text",
          direction && "text-text",
          align === "end" && "flex-row-reverse",
        )}
      >
        {children}
        <Icon aria-hidden className={cn("size-3", !direction && "opacity-60")} />
      </button>
    </Th>
  );
}

/** Stands in the body when there is no row. */
export function EmptyRow({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <tr {...roles.row}>
      <td {...roles.cell} colSpan={columns} className="px-4 py-8 text-center text-muted">
        {/* One child: a stacked cell lays its children out side by side. */}
        <span>{children}</span>
      </td>
    </tr>
  );
}
