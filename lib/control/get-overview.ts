import type { Banner, Overview } from "@/lib/core/api/overview";
import { compareVersions } from "@/lib/core/version";
import { findDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { fleetNow } from "./convergence";
import { draftOwner } from "./draft-owner";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { isRedisUp } from "./redis-up";

const ALERTS_READ = 100;

/** What the frame of every page shows: cheap, as each page load asks for it. */
export async function getOverview(ctx: Ctx): Promise<Overview> {
  requirePermission(ctx, "read");
  const [installation, fleet, draft, alerts, isUp] = await Promise.all([
    getInstallation(ctx.db),
    fleetNow(ctx.db, ctx.clock.nowMs()),
    findDraft(ctx.db, draftOwner(ctx.actor)),
    ctx.db.alert.findMany({
      where: { resolvedAt: null },
      orderBy: [{ raisedAt: "desc" }, { id: "desc" }],
      take: ALERTS_READ,
    }),
    isRedisUp(ctx),
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
    openAlerts: alerts.length,
    banners: bannersOf(alerts, isUp),
  };
}

type Alert = { kind: string; severity: string; message: string };

const HREFS: Record<string, string> = { "ingest-behind": "/alerts", "redis-down": "/alerts" };

/** One line per kind of open trouble, the worst first. */
export function bannersOf(alerts: readonly Alert[], isRedisAnswering: boolean): Banner[] {
  const kinds = [...new Set(alerts.map(({ kind }) => kind))];
  const banners = kinds.map((kind): Banner => {
    const those = alerts.filter((alert) => alert.kind === kind);
    const more = those.length > 1 ? ` (and ${those.length - 1} more like it)` : "";
    return {
      severity: severityOf(those[0]?.severity),
      text: `${those[0]?.message ?? kind}${more}`,
      href: HREFS[kind] ?? "/gateways",
    };
  });
  if (!isRedisAnswering && !kinds.includes("redis-down"))
    banners.push({
      severity: "critical",
      text: "Redis does not answer the console: gateways limit by their own share where they cannot reach it either",
      href: "/alerts",
    });
  const rank = { critical: 0, warning: 1, info: 2 };
  return banners.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

function severityOf(text: string | undefined): Banner["severity"] {
  return text === "critical" || text === "info" ? text : "warning";
}
