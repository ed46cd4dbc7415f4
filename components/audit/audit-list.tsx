import { Bot, ChevronRight, Cog, UserRound } from "lucide-react";
import { FieldDiffs } from "@/components/rules/field-diffs";
import { Badge } from "@/components/ui/badge";
import { TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { AuditRow } from "@/lib/core/api/audit";
import { detailLines } from "./detail-lines";

const ACTORS = {
  user: { Icon: UserRound, word: "person" },
  token: { Icon: Bot, word: "API token" },
  system: { Icon: Cog, word: "Headgate itself" },
} as const;

/** What was done, a sentence each; opened, the fields that it changed. */
export function AuditList({ rows }: { rows: readonly AuditRow[] }) {
  return (
    <ol aria-label="Audit log" className="overflow-hidden rounded-lg border bg-surface">
      {rows.map((row) => (
        <li key={row.id} className="border-t first:border-t-0">
          <AuditEntry row={row} />
        </li>
      ))}
    </ol>
  );
}

function AuditEntry({ row }: { row: AuditRow }) {
  const { Icon, word } = ACTORS[row.actor.type];
  return (
    <details className="group">
      <summary className="flex list-none flex-wrap items-start gap-x-3 gap-y-0.5 px-4 py-2.5 hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="mt-0.75 size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <span className="flex min-w-0 flex-1 basis-72 items-start gap-2">
          <Icon role="img" aria-label={word} className="mt-0.75 size-4 shrink-0 text-muted" />
          <span className="min-w-0">
            <UserText>{row.sentence}</UserText>
            {row.reason !== "" && (
              <span className="block text-sm text-muted">
                Reason: <UserText>{row.reason}</UserText>
              </span>
            )}
          </span>
        </span>
        <span className="flex items-center gap-2 text-sm max-sm:ps-7">
          {row.version !== null && <Badge>v{row.version}</Badge>}
          <Time at={row.at} format="datetime" />
        </span>
      </summary>
      <div className="border-t bg-sunken/50 px-4 py-3 sm:ps-11">
        <AuditDetails row={row} />
      </div>
    </details>
  );
}

function AuditDetails({ row }: { row: AuditRow }) {
  const { action, kind, objectId, version, diff, actor } = row;
  const lines = detailLines(row.details);
  return (
    <div className="flex flex-col gap-3">
      {diff.length > 0 && <FieldDiffs label={`What ${action} changed`} diffs={diff} />}
      {lines.length > 0 && (
        <dl className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
          {lines.map(({ name, text }) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">
                <UserText>{text}</UserText>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <span className="text-muted">
          <UserText code>{action}</UserText> on {kind} <UserText code>{objectId}</UserText> by{" "}
          <UserText code>{actor.id}</UserText>
        </span>
        <TextLink
          prefetch={false}
          href={`/audit?kind=${encodeURIComponent(kind)}&object=${encodeURIComponent(objectId)}`}
        >
          All of this {kind}
        </TextLink>
        <TextLink prefetch={false} href={`/audit?actor=${encodeURIComponent(actor.id)}`}>
          All by <UserText>{actor.name}</UserText>
        </TextLink>
        {version !== null && (
          <TextLink prefetch={false} href={`/versions/${version}`}>
            Version {version}
          </TextLink>
        )}
      </p>
    </div>
  );
}
