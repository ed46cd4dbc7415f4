"use client";

import { useMemo } from "react";
import { useOverview } from "@/components/shell/live-overview";
import { Card } from "@/components/ui/card";
import { knownRoutes } from "@/lib/core/lint-routes";
import { lintRule } from "@/lib/core/lint-rule";
import type { Rule } from "@/lib/core/rule";
import type { Content } from "@/lib/core/ruleset-objects";
import { LintList } from "./lint-list";

/** What is risky or worth knowing about the rule as it is typed. */
export function RuleFindings({ rule, content }: { rule: Rule; content: Content }) {
  const { fleet } = useOverview();
  const gateways = fleet.live + fleet.silent;
  const routes = useMemo(() => knownRoutes(content.routes), [content.routes]);
  const findings = lintRule(rule, { content, routes, gateways });
  if (findings.length === 0) return null;
  return (
    <Card title="Findings">
      <LintList findings={findings.map((each) => ({ ...each, kind: "rule", id: rule.id }))} />
    </Card>
  );
}
