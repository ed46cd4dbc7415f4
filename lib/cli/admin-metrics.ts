import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../core/errors";
import { reasonOf } from "./api-client";
import {
  countsBetween,
  type GatewayCounts,
  parseCounts,
  type RuleHits,
  sumCounts,
} from "./metrics";

const CONNECT_MS = 3_000;
const METRICS_MS = 5_000;
const CATCH_UP_MS = 2_000;
const CATCH_UP_STEP_MS = 50;

export type MetricsReading = {
  /** Null for an admin port that did not answer. */
  counts: (GatewayCounts | null)[];
  problems: string[];
};

export type MetricsChange = {
  rules: RuleHits[];
  requests: number;
  problems: string[];
  /** Whether each gateway's counters were read before and after. */
  isWhole: boolean;
};

/** A gateway's admin port is its port + 1000. */
export function adminOf(gateway: URL): URL {
  const admin = new URL(gateway);
  admin.port = String(Number(gateway.port || (gateway.protocol === "https:" ? 443 : 80)) + 1000);
  return admin;
}

/** Throws unless every gateway takes connections, so that a typing error is told before the first request. */
export async function requireGateways(gateways: readonly URL[]): Promise<void> {
  await Promise.all(gateways.map(requireGateway));
}

function requireGateway(gateway: URL): Promise<void> {
  const port = Number(gateway.port || (gateway.protocol === "https:" ? 443 : 80));
  return new Promise((resolve, reject) => {
    const socket = connect({ host: gateway.hostname.replace(/^\[|\]$/g, ""), port });
    const refuse = (why: string) => {
      socket.destroy();
      reject(new AppError("unavailable", `no gateway answers at ${gateway.origin}: ${why}`));
    };
    socket.setTimeout(CONNECT_MS, () => refuse(`no connection within ${CONNECT_MS / 1000} s`));
    socket.once("error", (error) => refuse(reasonOf(error)));
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}

export async function readMetrics(admins: readonly URL[]): Promise<MetricsReading> {
  const problems: string[] = [];
  const counts = await Promise.all(
    admins.map(async (admin) => {
      const url = new URL("/metrics", admin).href;
      try {
        const response = await fetch(url, { signal: AbortSignal.timeout(METRICS_MS) });
        if (response.ok) return parseCounts(await response.text());
        problems.push(`${url} answered ${response.status}`);
      } catch (error) {
        problems.push(`${url}: ${reasonOf(error)}`);
      }
      return null;
    }),
  );
  return { counts, problems };
}

/** Reads until the gateways have counted `sent` requests more than before, or no longer catch up. */
export async function readChange(
  admins: readonly URL[],
  before: MetricsReading,
  sent: number,
): Promise<MetricsChange> {
  const deadlineMs = performance.now() + CATCH_UP_MS;
  for (;;) {
    const after = await readMetrics(admins);
    const changes = after.counts.flatMap((counts, i) => {
      const earlier = before.counts[i];
      return counts === null || !earlier ? [] : [countsBetween(earlier, counts)];
    });
    const { requests, rules } = sumCounts(changes);
    const isWhole = changes.length === admins.length;
    if (requests >= sent || !isWhole || performance.now() > deadlineMs) {
      return {
        requests,
        rules,
        isWhole,
        problems: [...new Set([...before.problems, ...after.problems])],
      };
    }
    await sleep(CATCH_UP_STEP_MS);
  }
}
