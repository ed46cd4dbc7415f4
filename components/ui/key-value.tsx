import { Fragment, type ReactNode } from "react";
import { cn } from "./cn";

type KeyValueProps = {
  items: readonly { label: string; value: ReactNode }[];
  className?: string;
};

export function KeyValue({ items, className }: KeyValueProps) {
  return (
    <dl
      className={cn(
        "grid grid-cols-1 gap-x-6 gap-y-0.5 sm:grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] sm:gap-y-1.5",
        className,
      )}
    >
      {items.map((item) => (
        <Fragment key={item.label}>
          <dt className="text-sm text-muted">{item.label}</dt>
          <dd className="min-w-0 break-words max-sm:mb-2">{item.value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
