"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Button } from "./button";
import { cn } from "./cn";
import { scrimStyle } from "./dialog-parts";

type SheetProps = {
  title: ReactNode;
  children: ReactNode;
  trigger?: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  side?: "start" | "end";
  className?: string;
};

const sides = {
  start: "start-0 border-e data-ending-style:-translate-x-4 data-starting-style:-translate-x-4",
  end: "end-0 border-s data-ending-style:translate-x-4 data-starting-style:translate-x-4",
};

/** A panel from the side: navigation on phones, details beside a list. */
export function Sheet({
  title,
  children,
  trigger,
  open,
  onOpenChange,
  side = "end",
  className,
}: SheetProps) {
  return (
    <Base.Root
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange: (next: boolean) => onOpenChange(next) } : {})}
    >
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal>
        <Base.Backdrop className={scrimStyle} />
        <Base.Popup
          className={cn(
            "fixed inset-y-0 z-40 flex w-[min(26rem,92vw)] flex-col bg-raised shadow-lift outline-none",
            "transition-[opacity,transform] duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0",
            sides[side],
            className,
          )}
        >
          <header className="flex items-center gap-3 border-b px-4 py-2.5">
            <Base.Title className="min-w-0 flex-1 truncate text-lg font-semibold">
              {title}
            </Base.Title>
            <Base.Close
              render={
                <Button variant="ghost" size="icon-sm" aria-label="Close" className="-me-1.5">
                  <X aria-hidden />
                </Button>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
