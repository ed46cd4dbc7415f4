import { ArrowLeftRight } from "lucide-react";
import type { Metadata } from "next";
import { askFor, numberText, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { Card } from "@/components/ui/card";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import { CompareForm } from "@/components/versions/compare-form";
import { EffectList } from "@/components/versions/effect-list";
import { ObjectChanges } from "@/components/versions/object-changes";
import { diffVersions, listVersions } from "@/lib/control";
import type { VersionRow } from "@/lib/core/api/versions";

export const metadata: Metadata = { title: "Compare versions" };

const CHOICES = 500;

export default async function ComparePage({ searchParams }: { searchParams: SearchParams }) {
  const address = await searchTexts(searchParams, ["from", "to"]);
  const ctx = await getPageCtx();
  const { items, current } = await listVersions(ctx, { limit: CHOICES });
  const to = numberText(address.to) ?? current;
  const from = numberText(address.from) ?? Math.max(1, to - 1);
  const asked = await askFor(diffVersions(ctx, { from, to }));
  const crumbs = [{ href: "/versions", label: "Versions" }];
  if (asked.data === undefined) return <PageHeader title={asked.problem} breadcrumbs={crumbs} />;
  const { objects, summary } = asked.data;
  return (
    <>
      <PageHeader
        title={`v${from} → v${to}`}
        description={from === to ? "The same version twice." : summary.sentence}
        breadcrumbs={crumbs}
        actions={
          <>
            <CompareForm key={`${from} ${to}`} versions={items} from={from} to={to} />
            <ButtonLink variant="ghost" href={`/versions/compare?from=${to}&to=${from}`}>
              <ArrowLeftRight aria-hidden /> Other way round
            </ButtonLink>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Side label="From" number={from} row={items.find(({ version }) => version === from)} />
          <Side label="To" number={to} row={items.find(({ version }) => version === to)} />
        </div>
        {objects.length > 0 && (
          <Card title="What begins or stops refusing">
            <EffectList objects={objects} />
          </Card>
        )}
        <Card title={`What v${to} has that v${from} has not`} flush>
          <ObjectChanges objects={objects} empty="Nothing differs: both have the same content." />
        </Card>
      </div>
    </>
  );
}

type SideProps = { label: string; number: number; row: VersionRow | undefined };

function Side({ label, number, row }: SideProps) {
  return (
    <Card>
      <p className="text-sm text-muted">{label}</p>
      <p className="font-medium">
        <TextLink href={`/versions/${number}`}>v{number}</TextLink>{" "}
        {row && <UserText>{row.message}</UserText>}
      </p>
      {row && (
        <p className="text-sm text-muted">
          <UserText>{row.actor.name}</UserText> · <Time at={row.createdAt} format="datetime" />
        </p>
      )}
    </Card>
  );
}
