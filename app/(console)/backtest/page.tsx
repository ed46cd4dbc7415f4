import { FlaskConical } from "lucide-react";
import type { Metadata } from "next";
import { type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getOwnDraft } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { BacktestTable } from "@/components/backtest/backtest-table";
import { LogTable } from "@/components/backtest/log-table";
import { NewBacktest, type RuleOption, type TapeOption } from "@/components/backtest/new-backtest";
import { Banner } from "@/components/ui/banner";
import { Card } from "@/components/ui/card";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { EmptyState } from "@/components/ui/empty-state";
import { formatCount, formatPlural, formatShare, formatUtc } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { type Ctx, getTape, listAllRules, listBacktestLogs, listBacktests } from "@/lib/control";
import type { TapeOverview } from "@/lib/core/api/tape";
import { limitSentence } from "@/lib/core/limit-sentence";
import { RuleSchema } from "@/lib/core/rule";
import {
  addLogPartAction,
  beginLogAction,
  createBacktestAction,
  deleteBacktestAction,
  deleteBacktestLogAction,
  endLogAction,
} from "./actions";

export const metadata: Metadata = { title: "Backtest" };

const PAGE_SIZE = 20;
const REFRESH_MS = 2_000;
const STRETCHES = [
  { value: "1h", label: "the last hour", ms: 3_600_000 },
  { value: "24h", label: "the last 24 hours", ms: 86_400_000 },
  { value: "7d", label: "the last 7 days", ms: 604_800_000 },
] as const;

export default async function BacktestPage({ searchParams }: { searchParams: SearchParams }) {
  const asked = await searchTexts(searchParams, ["rule", "of", "pages"]);
  const place = cursorPlace(asked.pages);
  const ctx = await getPageCtx();
  const [rules, tapes, logs, list] = await Promise.all([
    ruleOptions(ctx),
    Promise.all(STRETCHES.map(({ ms }) => tapeOf(ctx, ms))),
    listBacktestLogs(ctx),
    listBacktests(ctx, { limit: PAGE_SIZE, ...(place.cursor && { cursor: place.cursor }) }),
  ]);
  const ruleset = asked.of === "draft" ? "draft" : "live";
  const isKnown = rules.some((rule) => rule.id === asked.rule && rule.ruleset === ruleset);
  const tape = tapes.at(-1);
  return (
    <>
      <PageHeader
        title="Backtest"
        description="What a rule would have refused, of requests that were recorded. Nothing live changes."
      />
      <div className="flex flex-col gap-4">
        {tape && <TapeBanner tape={tape} />}
        <Card title="New backtest">
          <NewBacktest
            rules={rules}
            asked={asked.rule !== undefined && isKnown ? { ruleset, id: asked.rule } : null}
            tape={tapeOptions(tapes)}
            logs={logs.items.map(({ id, name, size, createdAt }) => ({
              id,
              name,
              hint: `${formatCount(Math.ceil(size / 1024))} KiB, uploaded ${formatUtc(new Date(createdAt), "minute")}`,
            }))}
            create={createBacktestAction}
            upload={{ begin: beginLogAction, add: addLogPartAction, end: endLogAction }}
          />
        </Card>
        {list.items.length === 0 ? (
          <div className="rounded-lg border bg-surface">
            <EmptyState icon={<FlaskConical />} title="No backtest has been run yet">
              Choose a rule and requests above. Results are kept for 30 days.
            </EmptyState>
          </div>
        ) : (
          <>
            <BacktestTable rows={list.items} remove={deleteBacktestAction} />
            <CursorPages
              place={place}
              next={list.next}
              shown={list.items.length}
              pageSize={PAGE_SIZE}
              noun={{ one: "backtest", many: "backtests" }}
              path="/backtest"
              query={{ rule: asked.rule, of: asked.of }}
            />
          </>
        )}
        <LogTable logs={logs.items} remove={deleteBacktestLogAction} />
      </div>
      {list.items.some(({ state }) => state === "waiting" || state === "running") && (
        <RefreshEvery ms={REFRESH_MS} />
      )}
    </>
  );
}

function tapeOf(ctx: Ctx, ms: number): Promise<TapeOverview> {
  return getTape(ctx, { from: new Date(ctx.clock.nowMs() - ms).toISOString() });
}

/** A longer stretch that has nothing more is not offered. */
function tapeOptions(tapes: readonly TapeOverview[]): TapeOption[] {
  return STRETCHES.flatMap(({ value, label }, i): TapeOption[] => {
    const tape = tapes[i];
    const shorter = tapes[i - 1]?.requests ?? 0;
    if (tape === undefined || tape.requests === 0 || tape.requests === shorter) return [];
    const { requests, clients, sampling, dropped, gateways, from } = tape;
    const share = sampling === null ? "" : ` (${formatShare(sampling / 100)} of all)`;
    const lost = dropped === 0 ? "" : `, ${formatCount(dropped)} more not kept`;
    const hint = `${formatPlural(requests, "request")} of ${formatPlural(clients, "client")}${share} at ${formatPlural(gateways.length, "gateway")}${lost}`;
    return [{ value, label: `${label}: ${formatPlural(requests, "request")}`, hint, from }];
  });
}

function TapeBanner({ tape }: { tape: TapeOverview }) {
  const settings = <TextLink href="/settings">settings</TextLink>;
  if (tape.requests === 0)
    return (
      <Banner
        tone="info"
        title={tape.enabled ? "Nothing is on tape yet" : "There is no tape: gateways do not record"}
      >
        {tape.enabled ? (
          <>
            Gateways record {formatShare(tape.percent / 100)} of the clients. What they decide is
            here within seconds.
          </>
        ) : (
          <>
            Turn on “Record a tape” in the {settings} and publish: each request of some clients is
            kept for {tape.keptDays} days. Or upload an access log.
          </>
        )}
      </Banner>
    );
  if (tape.enabled) return null;
  return (
    <Banner tone="warning" title="Gateways do not record any more">
      What is on tape stays for {tape.keptDays} days. Turn it on in the {settings}.
    </Banner>
  );
}

async function ruleOptions(ctx: Ctx): Promise<RuleOption[]> {
  const [live, draft] = await Promise.all([listAllRules(ctx, {}), getOwnDraft()]);
  const drafted = draft.changes.flatMap(({ kind, op, id, after }): RuleOption[] => {
    if (kind !== "rule" || op === "delete") return [];
    const rule = RuleSchema.safeParse(after);
    if (!rule.success) return [];
    const { name } = rule.data;
    return [{ ruleset: "draft", id, label: `${name} (my draft)`, hint: limitSentence(rule.data) }];
  });
  const published = live.items.map(
    ({ id, name, sentence }): RuleOption => ({ ruleset: "live", id, label: name, hint: sentence }),
  );
  return [...drafted, ...published];
}
