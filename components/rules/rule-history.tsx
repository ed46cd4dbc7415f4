"use client";

import { GitCompareArrows, Undo2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { Badge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { cn } from "@/components/ui/cn";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { FieldDiff } from "@/lib/core/api/change";
import type { RuleRevision } from "@/lib/core/api/rules";
import { FieldDiffs } from "./field-diffs";
import { ModeBadge } from "./mode-badge";
import { RollbackDialog } from "./rollback-dialog";
import type { RuleActions } from "./rule-actions-data";

type RuleHistoryProps = {
  rule: { id: string; name: string };
  /** Newest first. */
  revisions: readonly RuleRevision[];
  compared: { from: number; to: number; diff: FieldDiff[]; countersRestart: boolean } | null;
  actions: RuleActions;
};

/** Every state that the rule was in: who, when, what, and the way back to it. */
export function RuleHistory({ rule, revisions, compared, actions }: RuleHistoryProps) {
  const router = useRouter();
  const [target, setTarget] = useState<number | null>(null);
  const live = revisions.find((each) => each.live);
  const path = `/rules/${encodeURIComponent(rule.id)}/history`;
  return (
    <div className="flex flex-col gap-4">
      {compared && (
        <Card
          flush
          title={`Revision ${compared.from} against revision ${compared.to}`}
          description={
            compared.countersRestart ? "They count differently: counters restart between them." : ""
          }
          actions={
            <ButtonLink size="sm" href={path} scroll={false}>
              Close
            </ButtonLink>
          }
        >
          <FieldDiffs
            label={`Revision ${compared.from} against revision ${compared.to}`}
            diffs={compared.diff}
            framed={false}
          />
        </Card>
      )}
      <ol className="flex flex-col rounded-lg border bg-surface">
        {revisions.map((each, i) => {
          const before = revisions[i + 1];
          return (
            <li
              key={each.revision}
              className={cn(
                "grid gap-x-6 gap-y-2 border-t px-4 py-3 first:border-t-0 md:grid-cols-[15.5rem_minmax(0,1fr)_auto]",
                each.live && "bg-accent-subtle first:rounded-t-lg",
              )}
            >
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  Revision {each.revision}
                  <ModeBadge mode={each.mode} />
                  {each.live && <Badge tone="accent">live</Badge>}
                  {!each.wasLive && <Badge>only tried</Badge>}
                </p>
                <p className="text-sm text-muted">
                  since <TextLink href={`/versions/${each.version}`}>v{each.version}</TextLink> by{" "}
                  <UserText>{each.actor.name}</UserText>
                </p>
                <p className="text-sm text-muted">
                  <Time at={each.createdAt} />
                </p>
              </div>
              <div className="min-w-0">
                <p className="break-words">
                  <UserText>{each.change}</UserText>
                </p>
                <p className="text-sm text-muted">
                  <UserText>{each.sentence}</UserText>
                </p>
              </div>
              <div className="flex flex-wrap items-start gap-2 md:justify-end">
                {before && (
                  <ButtonLink
                    size="sm"
                    variant="ghost"
                    scroll={false}
                    href={`${path}?from=${before.revision}&to=${each.revision}`}
                  >
                    <GitCompareArrows aria-hidden /> With the one before
                  </ButtonLink>
                )}
                {live && !each.live && (
                  <>
                    <ButtonLink
                      size="sm"
                      variant="ghost"
                      scroll={false}
                      href={`${path}?from=${each.revision}&to=${live.revision}`}
                    >
                      <GitCompareArrows aria-hidden /> With live
                    </ButtonLink>
                    {each.wasLive && (
                      <PermittedButton
                        needs="rollback"
                        size="sm"
                        onClick={() => setTarget(each.revision)}
                      >
                        <Undo2 aria-hidden /> Roll back
                        <span className="sr-only"> to revision {each.revision}</span>…
                      </PermittedButton>
                    )}
                  </>
                )}
              </div>
            </li>
          );
        })}
      </ol>
      {target !== null && (
        <RollbackDialog
          rule={rule}
          revision={target}
          actions={actions}
          onClose={() => {
            router.refresh();
            setTarget(null);
          }}
        />
      )}
    </div>
  );
}
