import type { StatusTone } from "@/components/ui/status";
import type { AlertRow } from "@/lib/core/api/alerts";

export const severities = {
  info: { tone: "neutral", word: "info" },
  warning: { tone: "warning", word: "warning" },
  critical: { tone: "danger", word: "critical" },
} as const satisfies Record<AlertRow["severity"], { tone: StatusTone; word: string }>;

export const alertKinds: Readonly<Record<string, string>> = {
  "gateway-degraded": "gateway limits by its own share",
  "gateway-stopped": "gateway does not enforce",
  "guardrail-held": "a guardrail holds a change",
  "guardrail-undone": "a guardrail undid a change",
  "ramp-held": "the next step of a ramp is held",
  "ramp-stopped": "a ramp stopped before its last step",
  "schedule-failed": "what was due was not done",
  "gateway-refused": "gateway refused a version",
  "gateway-silent": "gateway silent",
  "convergence-late": "version late on gateways",
  "ingest-behind": "counts arrive late",
  "no-data": "gateway sends no counts",
  "redis-down": "Redis does not answer",
};

/** The page that shows what an alert is about. */
export function alertHref({ kind, subject }: Pick<AlertRow, "kind" | "subject">): string {
  if (kind === "guardrail-held" || kind === "guardrail-undone")
    return `/rules/${encodeURIComponent(subject)}`;
  if (kind === "ramp-held" || kind === "ramp-stopped")
    return `/rules/${encodeURIComponent(subject)}/candidate`;
  const version = /^v?(\d+)$/.exec(subject)?.[1];
  return kind === "convergence-late" && version !== undefined
    ? `/versions/${version}`
    : "/gateways";
}
