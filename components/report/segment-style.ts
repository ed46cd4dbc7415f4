import { cn } from "@/components/ui/cn";

/** One of a few choices side by side in a frame. */
export function segmentStyle(isActive: boolean): string {
  return cn(
    "inline-flex h-6.5 items-center gap-1 whitespace-nowrap rounded px-2 text-sm font-medium no-underline",
    "pointer-coarse:h-9 pointer-coarse:px-2.5 [&>svg]:size-3.5",
    isActive ? "bg-accent-subtle text-accent" : "text-muted hover:bg-hover hover:text-text",
  );
}
