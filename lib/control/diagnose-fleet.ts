import { type DiagnosisLine, fail, ok, warn } from "@/lib/core/api/diagnosis";
import type { GatewayRow } from "@/lib/core/api/gateways";
import type { Ctx } from "./context";
import { CLOCK_MS, secondsWords } from "./diagnose-redis";
import { listGateways } from "./list-gateways";

const NAMED_MAX = 5;

/** Whether every gateway is there, on the live version and well. */
export async function diagnoseFleet(ctx: Ctx): Promise<DiagnosisLine[]> {
  const { items, current } = await listGateways(ctx);
  const live = items.filter(({ state }) => state === "live");
  const silent = items.filter(({ state }) => state === "silent");
  const lines: DiagnosisLine[] = [];
  const tell = (line: typeof fail, found: GatewayRow[], says: string, todo: string) => {
    if (found.length > 0) lines.push(line("gateways", `${named(found)} ${says}`, todo));
  };
  const version = current.version;
  const isOn = (row: GatewayRow) => row.epoch === current.epoch && row.version === version;
  tell(
    fail,
    silent,
    "was live within a day and says nothing now",
    "Start it again, or dismiss it on the fleet page: it still has a share of each local limit.",
  );
  for (const row of live)
    if (row.refused !== null)
      lines.push(
        fail(
          "gateways",
          `${row.id} refuses version ${row.refused.version}: ${row.refused.reason}`,
          "Bring it to a build that takes the version, or publish one that it can use.",
        ),
      );
  tell(
    fail,
    live.filter((row) => !isOn(row) && row.refused === null),
    `is not on the live version ${version}`,
    "It follows within seconds; if it does not, its own /status says what it waits for.",
  );
  tell(
    warn,
    live.filter(({ mode }) => mode === "local"),
    "decides by its own share of each limit",
    "See what it says of its Redis on the fleet page.",
  );
  tell(
    warn,
    live.filter(({ directory }) => directory === null || !directory.complete),
    "does not know all keys yet",
    "It loads them; if it does not end, its own /status says why.",
  );
  tell(
    warn,
    live.filter(({ stopEnforcing }) => stopEnforcing !== null),
    "was told at its own machine not to enforce",
    "Take away HEADGATE_STOP_ENFORCING or the file stop-enforcing there, when it is over.",
  );
  for (const { id, clockOffsetMs } of live)
    if (clockOffsetMs !== null && Math.abs(clockOffsetMs) > CLOCK_MS)
      lines.push(
        warn(
          "clocks",
          `Redis's clock is ${secondsWords(clockOffsetMs)} gateway ${id}'s`,
          "Keep both by NTP: overrides end by the gateway's clock.",
        ),
      );
  if (live.length === 0)
    lines.push(
      fail(
        "gateways",
        "none is live",
        "Start one with HEADGATE_CONTROL_URL and HEADGATE_GATEWAY_TOKEN of this console, and this environment.",
      ),
    );
  else if (lines.every(({ check }) => check !== "gateways"))
    lines.push(ok("gateways", `${live.length} live, all on version ${version}`));
  return lines;
}

function named(rows: readonly GatewayRow[]): string {
  const ids = rows.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = rows.length > NAMED_MAX ? ` and ${rows.length - NAMED_MAX} more, each of which` : "";
  return rows.length === 1 ? `${ids[0]}` : `${ids.join(", ")}${more}${more === "" ? ": each" : ""}`;
}
