import { stringify } from "yaml";
import { Sparkline } from "@/components/charts/sparkline";
import { Card, Stat, StatRow } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { KeyValue } from "@/components/ui/key-value";
import { TextLink } from "@/components/ui/link";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { RuleDetail } from "@/lib/core/api/rules";
import { isShedder } from "@/lib/core/limit";
import { countByWords } from "@/lib/core/limit-sentence";
import { costWords, whileWords } from "@/lib/core/limit-words";
import type { Rule } from "@/lib/core/rule";
import { AgainstYesterday } from "./hits-now";
import { LintList } from "./lint-list";
import { MatchSummary } from "./match-summary";
import { WAY_WORDS } from "./way-words";

const FROM_WORDS = {
  perPlan: "set for this plan",
  anonymous: "set for requests without a key",
  default: "as every other plan",
  shedder: "sheds by priority, every plan alike",
  none: "this rule sets none",
  "not matched": "this rule never sees it",
} as const;

const PRECISION_WORDS = {
  exact: "exact: every request asks Redis",
  leased: "leased: busy gateways spend tokens taken in advance",
  approximate: "approximate: gateways count alone and sync each second",
} as const;

const FAIL_WORDS = {
  local: "each gateway goes on with its share of the limit",
  open: "everything passes",
  closed: "everything is refused with 503",
} as const;

type RuleOverviewProps = {
  rule: RuleDetail;
  /** Of it that have not ended, and of those the ones that end within a week. */
  overrides: { current: number; expiring: number };
};

/** A live rule: what it does now, to whom, and by which text. */
export function RuleOverview({ rule, overrides }: RuleOverviewProps) {
  const path = `/rules/${encodeURIComponent(rule.id)}`;
  return (
    <div className="flex flex-col gap-4">
      <Figures rule={rule} />
      {rule.lint.length > 0 && (
        <Card title="Findings">
          <LintList findings={rule.lint} />
        </Card>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="What each plan gets" flush>
          <PlanTable rule={rule} />
          {!isShedder(rule.rule.limit) && <RuleOverrides rule={rule.id} {...overrides} />}
        </Card>
        <Card title="Definition">
          <KeyValue
            items={[
              { label: "Matches", value: <MatchSummary match={rule.rule.match} /> },
              { label: "Counter", value: <UserText>{countByWords(rule.countBy)}</UserText> },
              ...limitItems(rule.rule),
              {
                label: "Live",
                value: (
                  <>
                    revision {rule.revision} since{" "}
                    <TextLink href={`/versions/${rule.sinceVersion}`}>
                      v{rule.sinceVersion}
                    </TextLink>
                    , <Time at={rule.changedAt} /> by <UserText>{rule.changedBy.name}</UserText>
                    {" · "}
                    <TextLink href={`${path}/history`}>history</TextLink>
                  </>
                ),
              },
              ...(rule.rule.description === ""
                ? []
                : [
                    {
                      label: "Description",
                      value: <UserText>{rule.rule.description}</UserText>,
                    },
                  ]),
            ]}
          />
        </Card>
      </div>
      <details className="group">
        <summary className="w-fit rounded-md text-sm font-medium text-muted hover:text-text">
          Rule as YAML
        </summary>
        <CodeBlock
          className="mt-2"
          label="the rule as YAML"
          code={stringify(rule.rule, { lineWidth: 0 }).trimEnd()}
        />
      </details>
    </div>
  );
}

/** What a rule of its kind has besides amounts. */
function limitItems({ limit, cost, precision, failMode, priority }: Rule) {
  const items: { label: string; value: string }[] = [
    { label: "Kind", value: WAY_WORDS[limit.kind === "rate" ? limit.algorithm : limit.kind].label },
  ];
  const add = (label: string, value: string) => items.push({ label, value });
  if (isShedder(limit)) {
    add("Sheds", whileWords(limit));
    add("Priority", priority);
    return items;
  }
  if (limit.kind === "concurrency") add("Lease", `${limit.lease} after its gateway was last heard`);
  else {
    if (limit.algorithm === "fixed-window") add("Time zone", limit.timeZone);
    add("Cost", costWords(cost));
    add("Precision", PRECISION_WORDS[precision]);
  }
  add("Redis away", FAIL_WORDS[failMode]);
  return items;
}

function Figures({ rule: { hits, mode } }: { rule: RuleDetail }) {
  if (mode === "off")
    return (
      <p className="rounded-lg border bg-surface px-4 py-3 text-muted">
        This rule is off: it counts nothing. Set it to shadow to see what it would refuse.
      </p>
    );
  const isShadow = hits.mode === "shadow";
  const what = isShadow ? "Would be rejected" : "Rejected";
  const tone = hits.lastHour === 0 ? "plain" : isShadow ? "shadow" : "enforce";
  const share = hits.requestsLastHour === 0 ? null : hits.lastHour / hits.requestsLastHour;
  return (
    <StatRow>
      <Stat
        label={`${what} a minute now`}
        value={formatCount(Math.round(hits.perMinuteNow))}
        tone={tone}
        note={
          <Sparkline
            values={hits.sparkline}
            label={`${what.toLowerCase()} a minute, last hour`}
            tone={tone === "plain" ? "muted" : tone}
            width={120}
          />
        }
      />
      <Stat
        label={`${what}, last hour`}
        value={formatCount(hits.lastHour)}
        note={
          <>
            vs this hour yesterday: <AgainstYesterday mode={mode} hits={hits} />
          </>
        }
      />
      <Stat
        label="Requests it matched, last hour"
        value={formatCount(hits.requestsLastHour)}
        note={hits.requestsLastHour === 0 ? "none reported" : "on every gateway"}
      />
      <Stat
        label="Share, last hour"
        value={share === null ? "no data" : formatShare(Math.min(1, share))}
        note={isShadow ? "nobody is refused" : "of what it matched"}
      />
    </StatRow>
  );
}

function RuleOverrides({
  rule,
  current,
  expiring,
}: { rule: string } & RuleOverviewProps["overrides"]) {
  const path = `/overrides?rule=${encodeURIComponent(rule)}`;
  return (
    <p className="flex flex-wrap gap-x-3 border-t px-4 py-2.5 text-sm text-muted">
      {current === 0 ? (
        <span>No client has an override of it.</span>
      ) : (
        <TextLink href={path}>
          {formatPlural(current, "client")} with an override
          {expiring > 0 && `, ${formatCount(expiring)} expiring this week`}
        </TextLink>
      )}
      <TextLink href={`${path}&new=1`}>New override</TextLink>
    </p>
  );
}

function PlanTable({ rule }: { rule: RuleDetail }) {
  return (
    <Table label="What each plan gets" framed={false}>
      <TableHead>
        <Tr>
          <Th>Plan</Th>
          <Th>Limit</Th>
          <Th>Why</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rule.perPlan.map((row) => (
          <Tr key={row.plan}>
            <RowHead>
              <UserText>{row.plan}</UserText>
            </RowHead>
            <Td className="tabular-nums">{row.words}</Td>
            <Td className="text-muted">{FROM_WORDS[row.from]}</Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
