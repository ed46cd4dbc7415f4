import { CircleOff, Eye, ShieldCheck } from "lucide-react";
import { Badge } from "@/components/ui/badge";
import type { Mode } from "@/lib/core/rule";

export const modeNames = {
  off: "Off",
  shadow: "Shadow",
  enforce: "Enforced",
} as const satisfies Record<Mode, string>;

const looks = {
  off: { Icon: CircleOff, tone: "neutral", title: "Not evaluated" },
  shadow: { Icon: Eye, tone: "shadow", title: "Counts and logs, never changes an answer" },
  enforce: { Icon: ShieldCheck, tone: "enforce", title: "Rejects requests over the limit" },
} as const;

/** A rule's mode as word, icon and colour. */
export function ModeBadge({ mode }: { mode: Mode }) {
  const { Icon, tone, title } = looks[mode];
  return (
    <Badge tone={tone} title={title} icon={<Icon aria-hidden />}>
      {modeNames[mode]}
    </Badge>
  );
}

export function ModeIcon({ mode }: { mode: Mode }) {
  const { Icon } = looks[mode];
  return <Icon aria-hidden />;
}
