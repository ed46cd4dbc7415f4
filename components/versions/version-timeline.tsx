import type { RollbackVersion } from "@/components/rules/published-version";
import { cn } from "@/components/ui/cn";
import { RowLink, TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { VersionRow } from "@/lib/core/api/versions";
import { ConvergenceStatus } from "./convergence-status";
import { RollbackButton } from "./rollback-button";
import { VersionBadges } from "./version-badges";

type VersionTimelineProps = {
  versions: readonly VersionRow[];
  current: number;
  rollbackVersion: RollbackVersion;
};

/** Versions, newest first: who made which, what it changed, how far it came. */
export function VersionTimeline({ versions, current, rollbackVersion }: VersionTimelineProps) {
  return (
    <ol aria-label="Versions" className="relative">
      {versions.map((row) => (
        <li key={row.version} className="relative ps-7 pb-3 last:pb-0">
          <span
            aria-hidden
            className="absolute start-[0.4375rem] top-5 bottom-[-1.25rem] w-px bg-border [li:last-child>&]:hidden"
          />
          <span
            aria-hidden
            className={cn(
              "absolute start-0.5 top-4 size-3 rounded-full border-2",
              row.live ? "border-success bg-success" : "border-border-strong bg-background",
            )}
          />
          <VersionEntry row={row} current={current} rollbackVersion={rollbackVersion} />
        </li>
      ))}
    </ol>
  );
}

type EntryProps = { row: VersionRow; current: number; rollbackVersion: RollbackVersion };

function VersionEntry({ row, current, rollbackVersion }: EntryProps) {
  const { version, kind, live, restores, message, actor, createdAt, changes, convergence } = row;
  return (
    <article
      aria-labelledby={`version-${version}`}
      className={cn("rounded-lg border bg-surface px-4 py-3", live && "border-success-border")}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h2 id={`version-${version}`} className="text-base font-semibold">
              <RowLink href={`/versions/${version}`} className="font-semibold">
                v{version}
              </RowLink>
            </h2>
            <VersionBadges kind={kind} live={live} restores={restores} />
            <UserText className="min-w-0 font-medium">{message}</UserText>
          </div>
          <p className="mt-0.5 text-sm text-muted">
            <UserText>{actor.name}</UserText> · <Time at={createdAt} format="datetime" />
          </p>
          <Sentences changes={changes} />
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 sm:flex-col sm:items-end">
          <span className="text-sm">
            <ConvergenceStatus convergence={convergence} live={live} />
          </span>
          {!live && (
            <span className="flex flex-wrap items-center gap-2">
              <TextLink
                className="text-sm"
                href={`/versions/compare?from=${version}&to=${current}`}
                prefetch={false}
              >
                Compare with live
              </TextLink>
              <RollbackButton size="sm" target={version} rollbackVersion={rollbackVersion} />
            </span>
          )}
        </div>
      </div>
    </article>
  );
}

function Sentences({ changes }: Pick<VersionRow, "changes">) {
  const { sentence, sentences, loud, added, changed, removed } = changes;
  const more = added + changed + removed - sentences.length;
  if (sentences.length === 0) return <p className="mt-1 text-sm">{sentence}</p>;
  return (
    <ul className={cn("mt-1 text-sm", loud && "font-medium")}>
      {sentences.map((each) => (
        <li key={each} className="break-words">
          <UserText>{each}</UserText>
        </li>
      ))}
      {more > 0 && <li className="text-muted">and {more} more</li>}
    </ul>
  );
}
