import { CircleOff, Eye, ShieldCheck } from "lucide-react";
import { Badge } from "@/components/ui/badge";

export type RuleMode = "off" | "shadow" | "enforce";

export const modeNames = {
  off: "Off",
  shadow: "Shadow",
  enforce: "Enforced",
} as const satisfies Record<RuleMode, string>;

const looks = {
  off: { Icon: CircleOff, tone: "neutral", title: "Not evaluated" },
  shadow: { Icon: Eye, tone: "shadow", title: "Counts and logs, never changes an answer" },
  enforce: { Icon: ShieldCheck, tone: "enforce", title: "Rejects requests over the limit" },
} as const;

/** A rule's mode as word, icon and colour. */
export function ModeBadge({ mode }: { mode: RuleMode }) {
  const { Icon, tone, title } = looks[mode];
  return (
    <Badge tone={tone} title={title} icon={<Icon aria-hidden />}>
      {modeNames[mode]}
    </Badge>
  );
}

export function ModeIcon({ mode }: { mode: RuleMode }) {
  const { Icon } = looks[mode];
  return <Icon aria-hidden />;
}
