import type { z } from "zod";
import {
  type GatewayReport,
  type GatewayReportResult,
  GatewayReportSchema,
} from "@/lib/core/api/gateways";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { compareVersions } from "@/lib/core/version";
import { inTransaction, type Tx } from "@/lib/db/client";
import { isDataError } from "@/lib/db/sql-state";
import { type Ctx, SYSTEM } from "./context";
import { measureFleet } from "./fleet";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { raiseAlert } from "./raise-alert";
import { raiseEpoch } from "./raise-epoch";
import { resolveAlert } from "./resolve-alert";
import { storeHeartbeat } from "./store-heartbeat";
import { takeBatches } from "./take-batches";

/** What a gateway says over HTTP when Redis cannot carry it, stored at once: the banner must not wait for a worker. */
export async function reportGateway(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof GatewayReportSchema>,
): Promise<GatewayReportResult> {
  requirePermission(ctx, "fleet");
  const report = parseInput(GatewayReportSchema, input, "the gateway's report");
  requireOwn(ctx, id, report);
  const receivedMs = ctx.clock.nowMs();
  try {
    await inTransaction(ctx.db, (tx) => storeReport(tx, { id, report, receivedMs }));
  } catch (error) {
    if (!isDataError(error)) throw error;
    const message = "the report holds a value that Postgres does not take, such as a NUL in a text";
    throw new AppError("invalid", message, { cause: error });
  }
  await takeBatches(ctx, {
    source: "http",
    received: report.batches.map((batch) => ({
      id: `${id}/${batch.boot}/${batch.sequence}`,
      batch,
    })),
  });
  const fleet = await measureFleet(ctx.db, receivedMs);
  return { current: await currentAbove(ctx, report), fleet };
}

type Received = { id: string; report: GatewayReport; receivedMs: number };

async function storeReport(tx: Tx, { id, report, receivedMs }: Received): Promise<void> {
  const { heartbeat, alerts } = report;
  if (heartbeat !== undefined) await storeHeartbeat(tx, { heartbeat, receivedMs });
  for (const { kind, state, message } of alerts) {
    const alert = { subject: id, atMs: receivedMs };
    if (state === "raised") await raiseAlert(tx, { ...alert, kind, message });
    else await resolveAlert(tx, { ...alert, kinds: [kind] });
  }
}

/** A gateway speaks for itself only, and of this environment. */
function requireOwn(ctx: Ctx, id: string, { heartbeat, batches }: GatewayReport): void {
  for (const [path, said] of [
    ["heartbeat", heartbeat] as const,
    ...batches.map((batch, index) => [`batches.${index}`, batch] as const),
  ]) {
    if (said === undefined) continue;
    if (said.gateway !== id)
      refuse(`${path}.gateway`, `must be ${id}, whose report it is, got ${said.gateway}`);
    if (said.environment !== ctx.environment)
      refuse(
        `${path}.environment`,
        `must be "${ctx.environment}", which this console serves, got "${said.environment}"`,
      );
  }
}

function refuse(path: string, words: string): never {
  const message = `${path} ${words}`;
  throw new AppError("invalid", message, { errors: [{ path, message }] });
}

/** The current version, raised above one that the gateway runs and this database does not know. */
async function currentAbove(ctx: Ctx, { heartbeat }: GatewayReport) {
  const { epoch, version } = await getInstallation(ctx.db);
  const applied = heartbeat?.applied;
  if (applied == null || compareVersions(applied, { epoch, version }) <= 0)
    return { epoch, version };
  const seen = { epoch: applied.epoch, version: applied.version };
  return raiseEpoch({ ...ctx, actor: SYSTEM }, { seen });
}
