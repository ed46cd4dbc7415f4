import NextLink from "next/link";
import { ModeIcon } from "@/components/rules/mode-badge";
import { hrefWith } from "@/components/ui/cursor-pages";
import { segmentStyle } from "./segment-style";

type Counted = "shadow" | "enforce";

type ModeTabsProps = {
  path: string;
  query: Record<string, string | undefined>;
  active: Counted | null;
  /** Also offers both at once. */
  withBoth?: boolean;
};

const NAMES = { shadow: "In shadow", enforce: "Enforced" } as const;

/** Which figures: those counted in shadow, or real rejections. */
export function ModeTabs({ path, query, active, withBoth = false }: ModeTabsProps) {
  const choices: readonly (Counted | null)[] = withBoth
    ? [null, "shadow", "enforce"]
    : ["shadow", "enforce"];
  return (
    <nav
      aria-label="Mode"
      className="flex max-w-full flex-wrap rounded-md border border-border-strong/60 bg-surface p-0.5"
    >
      {choices.map((mode) => (
        <NextLink
          key={mode ?? "both"}
          href={hrefWith(path, { ...query, mode: mode ?? undefined })}
          scroll={false}
          aria-current={mode === active ? "true" : undefined}
          className={segmentStyle(mode === active)}
        >
          {mode !== null && <ModeIcon mode={mode} />}
          {mode === null ? "Both" : NAMES[mode]}
        </NextLink>
      ))}
    </nav>
  );
}
