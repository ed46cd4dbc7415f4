"use client";

import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

type TooltipProps = {
  label: ReactNode;
  /** The element it belongs to. It must be focusable, and named without the tooltip. */
  children: ReactElement;
  side?: "top" | "bottom" | "left" | "right";
};

export function Tooltip({ label, children, side = "top" }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger delay={350} render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="max-w-72 rounded-md border bg-raised px-2 py-1 text-sm text-text shadow-lift transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {label}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
