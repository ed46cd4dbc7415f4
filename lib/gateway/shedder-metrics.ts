import { Counter, Gauge, type Registry } from "prom-client";
import { SHEDDABLE } from "@/lib/core/priority";
import { PRIORITIES } from "@/lib/core/rule";
import type { ShedderStatus } from "./shedder-states";
import type { ShedCount } from "./shedding";

export type ShedderSources = {
  shedders(): readonly ShedderStatus[];
  shedCounts(): readonly ShedCount[];
};

type Sample = readonly [labels: Record<string, string>, value: number];

/** Gauges are of live revisions; rules that are gone have none any more, their counters stay. */
export function addShedderSeries(
  registry: Registry,
  { shedders, shedCounts }: ShedderSources,
): void {
  const registers = [registry];
  new Counter({
    name: "headgate_shed_total",
    help: "Requests that a shedder refused (mode enforce) or would have refused (mode shadow).",
    labelNames: ["rule", "mode", "lane", "priority"],
    registers,
    collect() {
      this.reset();
      for (const { rule, mode, lane, priority, count } of shedCounts())
        this.inc({ rule, mode, lane, priority }, count);
    },
  });
  const gauge = (
    name: string,
    help: string,
    labels: string[],
    read: (status: ShedderStatus) => Sample[],
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ["rule", ...labels],
      registers,
      collect() {
        this.reset();
        for (const status of shedders().filter(({ lane }) => lane === "live"))
          for (const [values, value] of read(status))
            this.set({ rule: status.rule, ...values }, value);
      },
    });
  gauge(
    "headgate_shed_share",
    "Of a class, the part that must be refused, 0 to 1.",
    ["priority"],
    ({ shed }) => SHEDDABLE.map((priority) => [{ priority }, shed[priority]]),
  );
  const ofFleet = (read: (status: Extract<ShedderStatus, { kind: "fleet" }>) => Sample[]) => {
    return (status: ShedderStatus) => (status.kind === "fleet" ? read(status) : []);
  };
  gauge(
    "headgate_fleet_allowed",
    "Requests a second that are not critical and that all gateways may let pass.",
    [],
    ofFleet(({ allowed }) => [[{}, allowed]]),
  );
  gauge(
    "headgate_fleet_allotment",
    "This gateway's part of them.",
    [],
    ofFleet(({ allotment }) => [[{}, allotment]]),
  );
  gauge(
    "headgate_fleet_demand",
    "Requests a second that arrive at this gateway under a fleet rule, smoothed.",
    ["priority"],
    ofFleet(({ ownDemand }) => PRIORITIES.map((priority) => [{ priority }, ownDemand[priority]])),
  );
  gauge(
    "headgate_fleet_gateways",
    "Gateways whose demand is heard; 0 while this one is cut off and takes capacity / gateways.",
    [],
    ofFleet(({ gateways, isAlone }) => [[{}, isAlone ? 0 : gateways]]),
  );
  gauge("headgate_worker_delay_seconds", "How late the event loop is, smoothed.", [], (status) =>
    status.kind === "worker" ? [[{}, status.delayMs / 1000]] : [],
  );
  gauge(
    "headgate_worker_pressure",
    "0 = nothing is shed, 1 = all test, 2 = all sheddable too, 3 = all normal too.",
    [],
    (status) => (status.kind === "worker" ? [[{}, status.pressure]] : []),
  );
}
