"use client";

import { CircleCheck, Info, OctagonAlert, TriangleAlert } from "lucide-react";
import { Toaster as Sonner } from "sonner";

/** A toast only repeats what the page already shows: no success may live in one alone. */
export { toast } from "sonner";

export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      gap={8}
      expand
      icons={{
        success: <CircleCheck aria-hidden className="size-4 text-success" />,
        error: <OctagonAlert aria-hidden className="size-4 text-danger" />,
        warning: <TriangleAlert aria-hidden className="size-4 text-warning" />,
        info: <Info aria-hidden className="size-4 text-accent" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            "flex w-(--width) items-start gap-2 rounded-lg border bg-raised px-3 py-2.5 text-base text-text shadow-lift",
          icon: "mt-0.75 shrink-0",
          content: "min-w-0 flex-1",
          title: "font-medium",
          description: "text-sm text-muted",
          actionButton:
            "shrink-0 rounded-md border border-border-strong px-2 py-0.5 text-sm font-medium",
        },
      }}
    />
  );
}
