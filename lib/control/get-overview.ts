import type { Banner, Overview } from "@/lib/core/api/overview";
import { compareVersions } from "@/lib/core/version";
import type { Reader } from "@/lib/db/client";
import { findDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { fleetNow } from "./convergence";
import { draftOwner } from "./draft-owner";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { isRedisUp } from "./redis-up";
import { stopBanners } from "./stop-banners";

/** What the frame of every page shows: cheap, as each page load asks for it. */
export async function getOverview(ctx: Ctx): Promise<Overview> {
  requirePermission(ctx, "read");
  const nowMs = ctx.clock.nowMs();
  const [installation, fleet, draft, troubles, isUp, stops, openRequests] = await Promise.all([
    getInstallation(ctx.db),
    fleetNow(ctx.db, nowMs),
    findDraft(ctx.db, draftOwner(ctx.actor)),
    openTroubles(ctx.db),
    isRedisUp(ctx),
    stopBanners(ctx.db, nowMs),
    ctx.db.changeRequest.count({ where: { state: "open" } }),
  ]);
  const { environment, demo, epoch, version } = installation;
  const live = fleet.filter(({ state }) => state === "live");
  return {
    environment,
    demo,
    version,
    epoch,
    fleet: {
      live: live.length,
      applied: live.filter(
        ({ applied }) => applied !== null && compareVersions(applied, { epoch, version }) === 0,
      ).length,
      silent: fleet.length - live.length,
    },
    draftChanges: draft?.items.length ?? 0,
    openAlerts: troubles.reduce((sum, { count }) => sum + count, 0),
    openRequests,
    banners: [...stops, ...bannersOf(troubles, isUp)],
  };
}

/** The open alerts of one kind: how many, and the newest. */
type Trouble = {
  kind: string;
  subject: string;
  severity: string;
  message: string;
  count: number;
};

async function openTroubles(reader: Reader): Promise<Trouble[]> {
  return reader.$queryRaw<Trouble[]>`
    SELECT kind, subject, severity, message, count FROM (
      SELECT DISTINCT ON (kind) kind, subject, severity, message, raised_at,
        (count(*) OVER (PARTITION BY kind))::int AS count
      FROM alert WHERE resolved_at IS NULL ORDER BY kind, raised_at DESC, id DESC) newest
    ORDER BY raised_at DESC, kind`;
}

const HREFS: Record<string, string> = {
  "guardrail-held": "/alerts",
  "guardrail-undone": "/alerts",
  "ingest-behind": "/alerts",
  "redis-down": "/alerts",
  "schedule-failed": "/draft",
};

const RULE_KINDS = ["guardrail-held", "guardrail-undone"];

function hrefOf({ kind, subject, count }: Trouble): string {
  if (!RULE_KINDS.includes(kind)) return HREFS[kind] ?? "/gateways";
  return count > 1 ? `/alerts?kind=${kind}` : `/rules/${encodeURIComponent(subject)}`;
}

/** One line per kind of open trouble, the worst first. */
export function bannersOf(troubles: readonly Trouble[], isRedisAnswering: boolean): Banner[] {
  const banners = troubles.map((trouble): Banner => {
    const { severity, message, count } = trouble;
    const more = count > 1 ? ` (and ${count - 1} more like it)` : "";
    return {
      severity: severityOf(severity),
      text: `${message}${more}`,
      href: hrefOf(trouble),
    };
  });
  if (!isRedisAnswering && !troubles.some(({ kind }) => kind === "redis-down"))
    banners.push({
      severity: "critical",
      text: "Redis does not answer the console: gateways limit by their own share where they cannot reach it either",
      href: "/alerts",
    });
  const rank = { critical: 0, warning: 1, info: 2 };
  return banners.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

function severityOf(text: string): Banner["severity"] {
  return text === "critical" || text === "info" ? text : "warning";
}
