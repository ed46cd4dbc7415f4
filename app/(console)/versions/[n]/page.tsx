import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { askFor, numberText, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { rollbackVersionAction } from "@/app/(console)/rules/actions";
import { LiveConvergence } from "@/components/fleet/live-convergence";
import { Card } from "@/components/ui/card";
import { CopyButton } from "@/components/ui/copy-button";
import { formatMs, formatPlural } from "@/components/ui/format";
import { KeyValue } from "@/components/ui/key-value";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import { ObjectChanges } from "@/components/versions/object-changes";
import { RollbackButton } from "@/components/versions/rollback-button";
import { VersionBadges } from "@/components/versions/version-badges";
import { VersionContent } from "@/components/versions/version-content";
import { VersionGateways } from "@/components/versions/version-gateways";
import { getConvergence, getVersion } from "@/lib/control";
import type { VersionRow } from "@/lib/core/api/versions";

type Props = { params: Promise<{ n: string }>; searchParams: SearchParams };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Version ${(await params).n}` };
}

export default async function VersionPage({ params, searchParams }: Props) {
  const number = numberText((await params).n);
  if (number === undefined) notFound();
  const { content } = await searchTexts(searchParams, ["content"]);
  const ctx = await getPageCtx();
  const [asked, convergence] = await Promise.all([
    askFor(getVersion(ctx, { number })),
    askFor(getConvergence(ctx, { number })),
  ]);
  if (asked.data === undefined) return <PageHeader title={asked.problem} />;
  const version = asked.data;
  const { parent, live, objects, changes } = version;
  return (
    <>
      <PageHeader
        title={`Version ${number}`}
        description={<UserText>{version.message}</UserText>}
        breadcrumbs={[{ href: "/versions", label: "Versions" }]}
        badges={<VersionBadges kind={version.kind} live={live} restores={version.restores} />}
        actions={
          !live && (
            <>
              <ButtonLink href={`/versions/compare?from=${number}`}>Compare with live</ButtonLink>
              <RollbackButton
                variant="primary"
                target={number}
                rollbackVersion={rollbackVersionAction}
              />
            </>
          )
        }
      />
      <div className="flex flex-col gap-4">
        {live && convergence.data ? (
          <LiveConvergence version={number} initial={convergence.data} />
        ) : (
          convergence.data && <VersionGateways convergence={convergence.data} />
        )}
        <Card
          title={parent === null ? "What it began with" : `What it changed against v${parent}`}
          description={changes.sentence}
          flush
        >
          <ObjectChanges objects={objects} empty="Nothing: the content is its parent's." />
        </Card>
        <Card title="About">
          <KeyValue
            items={[
              { label: "Made", value: <Time at={version.createdAt} format="datetime" /> },
              {
                label: "Publish to applied",
                value: <ApplyTimes convergence={version.convergence} />,
              },
              { label: "By", value: <ActorWords {...version.actor} /> },
              {
                label: "Made on top of",
                value:
                  parent === null ? (
                    "nothing: it is the first"
                  ) : (
                    <TextLink href={`/versions/${parent}`}>v{parent}</TextLink>
                  ),
              },
              ...(version.restores === undefined
                ? []
                : [
                    {
                      label: "Content of",
                      value: (
                        <TextLink href={`/versions/${version.restores}`}>
                          v{version.restores}
                        </TextLink>
                      ),
                    },
                  ]),
              { label: "Epoch", value: <span className="tabular-nums">{version.epoch}</span> },
              {
                label: "Hash",
                value: (
                  <span className="inline-flex max-w-full items-center gap-1">
                    <code className="break-all font-mono text-sm">{version.hash}</code>
                    <CopyButton text={version.hash} label="Copy hash" />
                  </span>
                ),
              },
              {
                label: "Needs of gateways",
                value:
                  version.requires.length === 0 ? "nothing special" : version.requires.join(", "),
              },
              {
                label: "Audit",
                value: <TextLink href={`/audit?version=${number}`}>who did it, and why</TextLink>,
              },
            ]}
          />
        </Card>
        <VersionContent version={number} body={version.body} isAsked={content === "all"} />
      </div>
    </>
  );
}

function ApplyTimes({ convergence }: Pick<VersionRow, "convergence">) {
  const { p50Ms, p99Ms, applied } = convergence;
  if (p50Ms === null || p99Ms === null)
    return <span className="text-muted">no gateway told it yet</span>;
  return (
    <>
      p50 {formatMs(p50Ms)}, p99 {formatMs(p99Ms)}{" "}
      <span className="text-muted">over {formatPlural(applied, "gateway")}</span>
    </>
  );
}

function ActorWords({ type, name }: { type: "user" | "token" | "system"; name: string }) {
  const kind = { user: "", token: " (API token)", system: " (Headgate itself)" }[type];
  return (
    <>
      <UserText>{name}</UserText>
      {kind}
    </>
  );
}
