import { Num } from "@/components/ui/num";

/** A share in figures, with a bar for the eye. */
export function ShareBar({ share, mode }: { share: number | null; mode: "shadow" | "enforce" }) {
  return (
    <span className="flex items-center gap-2">
      <span className="w-14 text-end">
        <Num value={share} as="share" />
      </span>
      <span aria-hidden className="h-1.5 w-20 overflow-hidden rounded-full bg-border">
        <span
          className={mode === "shadow" ? "block h-full bg-shadow" : "block h-full bg-enforce"}
          style={{ width: share === null || share === 0 ? 0 : `max(2px, ${share * 100}%)` }}
        />
      </span>
    </span>
  );
}
