import { cn } from "./cn";

export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cn("block h-4 animate-skeleton rounded bg-hover", className)} />
  );
}

const widths = ["w-11/12", "w-full", "w-3/4", "w-5/6", "w-2/3"];
const rowKeys = Array.from({ length: 50 }, (_, index) => `row-${index}`);

export function SkeletonText({ lines = 3 }: { lines?: number }) {
  return (
    <span className="flex flex-col gap-2">
      {rowKeys.slice(0, lines).map((key, index) => (
        <Skeleton key={key} className={widths[index % widths.length] ?? "w-full"} />
      ))}
    </span>
  );
}

/** Stands where a table will be, with its header line and row height. */
export function SkeletonTable({ rows = 8, label = "Loading" }: { rows?: number; label?: string }) {
  return (
    <div role="status" className="overflow-hidden rounded-lg border bg-surface">
      <span className="sr-only">{label}</span>
      <div className="h-9 border-b bg-sunken" />
      {rowKeys.slice(0, rows).map((key, index) => (
        <div key={key} className="flex h-11 items-center gap-6 border-b px-4 last:border-0">
          <Skeleton className={index % 2 === 0 ? "w-40" : "w-52"} />
          <Skeleton className="w-16" />
          <Skeleton className="hidden flex-1 sm:block" />
          <Skeleton className="ms-auto w-12" />
        </div>
      ))}
    </div>
  );
}

/** Stands where a page will be: its title, then a table. */
export function SkeletonPage({
  rows = 8,
  label = "Loading the page",
}: {
  rows?: number;
  label?: string;
}) {
  return (
    <div className="flex flex-col gap-4">
      <Skeleton className="h-7 w-48" />
      <SkeletonTable rows={rows} label={label} />
    </div>
  );
}
