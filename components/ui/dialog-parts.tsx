import type { ReactNode } from "react";
import { ScrollRegion } from "./scroll-region";

export const scrimStyle =
  "fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0";

/** On phones a sheet at the bottom edge; from 640 px a centred panel. */
export const dialogPopupStyle = [
  "fixed inset-x-0 bottom-0 z-40 flex max-h-[92dvh] w-full flex-col rounded-t-xl border bg-raised shadow-lift outline-none",
  "sm:inset-x-auto sm:bottom-auto sm:start-1/2 sm:top-[12vh] sm:max-h-[80vh] sm:-translate-x-1/2 sm:rounded-xl",
  "transition-[opacity,transform] duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0",
  "data-starting-style:translate-y-2 data-ending-style:translate-y-2",
].join(" ");

export function DialogBody({ children }: { children: ReactNode }) {
  return (
    <ScrollRegion className="min-h-0 flex-1 overflow-y-auto px-5 py-3 -outline-offset-2">
      {children}
    </ScrollRegion>
  );
}

export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-5 py-3 max-sm:[&>button]:flex-1">
      {children}
    </footer>
  );
}
