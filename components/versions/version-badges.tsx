import { Flag, History, Radio, Rocket, ToggleRight } from "lucide-react";
import { Badge } from "@/components/ui/badge";
import type { VersionKind } from "@/lib/core/api/versions";

const KINDS = {
  initial: { Icon: Flag, word: "first version" },
  publish: { Icon: Rocket, word: "publish" },
  mode: { Icon: ToggleRight, word: "mode" },
  rollback: { Icon: History, word: "roll back" },
} as const satisfies Record<VersionKind, unknown>;

type VersionBadgesProps = { kind: VersionKind; live: boolean; restores?: number | undefined };

/** How a version came about, and whether it is what gateways shall run now. */
export function VersionBadges({ kind, live, restores }: VersionBadgesProps) {
  const { Icon, word } = KINDS[kind];
  return (
    <>
      {live && (
        <Badge tone="success" icon={<Radio aria-hidden />}>
          live
        </Badge>
      )}
      <Badge tone={kind === "rollback" ? "warning" : "neutral"} icon={<Icon aria-hidden />}>
        {restores === undefined ? word : `${word} to v${restores}`}
      </Badge>
    </>
  );
}
