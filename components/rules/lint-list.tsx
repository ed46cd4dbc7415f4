import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import { cn } from "@/components/ui/cn";
import { UserText } from "@/components/ui/user-text";
import type { LintFinding } from "@/lib/core/api/change";

const looks = {
  error: { Icon: CircleAlert, color: "text-danger", word: "Error" },
  warning: { Icon: TriangleAlert, color: "text-warning", word: "Warning" },
  info: { Icon: Info, color: "text-accent", word: "Note" },
} as const;

const order = ["error", "warning", "info"];

type LintListProps = {
  findings: readonly LintFinding[];
  /** Names the object of each finding, where several objects are listed together. */
  withObject?: boolean;
};

/** What a linter found: errors stop a publish, warnings and notes do not. */
export function LintList({ findings, withObject = false }: LintListProps) {
  const sorted = [...findings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  return (
    <ul className="flex flex-col gap-1.5 text-sm">
      {sorted.map((finding) => {
        const { Icon, color, word } = looks[finding.level];
        return (
          <li
            key={`${finding.kind} ${finding.id} ${finding.code} ${finding.path} ${finding.message}`}
            className="flex items-start gap-2"
          >
            <Icon aria-hidden className={cn("mt-0.5 size-4 shrink-0", color)} />
            <span className="min-w-0 break-words">
              <span className="sr-only">{word}: </span>
              {withObject && <code className="me-1.5 font-mono">{finding.id}</code>}
              <UserText>{finding.message}</UserText>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
