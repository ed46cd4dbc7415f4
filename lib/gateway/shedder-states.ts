import { randomBytes } from "node:crypto";
import type { DemandSource } from "@/lib/agent/demand-exchange";
import type { Clock } from "@/lib/clock";
import type { CountedMode, Lane } from "@/lib/core/counts";
import type { FleetLimit } from "@/lib/core/fleet-plan";
import type { PriorityRates } from "@/lib/core/priority";
import type { RulesetIndex, ShedderRule } from "@/lib/core/ruleset-index";
import { createFleetShedder, type FleetShedder, type FleetStatus } from "@/lib/core/shedder-fleet";
import {
  createWorkerShedder,
  type WorkerLimit,
  type WorkerShedder,
  type WorkerStatus,
} from "@/lib/core/shedder-worker";
import { watchLoopDelay } from "./loop-delay";

/** What a shedder knows and does, beside what its rule says. */
export type ShedderState =
  | { kind: "fleet"; shedder: FleetShedder }
  | { kind: "worker"; shedder: WorkerShedder };

type Named = { rule: string; mode: CountedMode; lane: Lane };
export type ShedderStatus =
  | (Named & { kind: "fleet" } & Pick<FleetLimit, "capacity" | "reserve"> & FleetStatus)
  | (Named & { kind: "worker" } & Pick<WorkerLimit, "maxDelayMs"> & WorkerStatus);

export type ShedderStates = DemandSource & {
  /** Null when the version in force has no such shedder any more, or one of another kind. */
  find(rule: ShedderRule): ShedderState | null;
  /** Of a clock that only rises. */
  nowUs(): number;
  status(): ShedderStatus[];
  close(): void;
};

type Options = { gatewayId: string; rules(): RulesetIndex | null; clock: Clock };

/** The state of each fleet and worker rule of the version in force. It goes on from version to version. */
export function createShedderStates({ gatewayId, rules, clock }: Options): ShedderStates {
  const name = `${gatewayId}#${randomBytes(8).toString("hex")}`;
  let states = new Map<string, ShedderState>();
  let current: RulesetIndex | null = null;
  let gateways = 1;
  let watch: { close(): void } | null = null;

  const nowUs = () => Math.floor(clock.monotonicMs() * 1000);

  function follow(): void {
    const index = rules();
    if (index === current) return;
    current = index;
    const before = states;
    states = new Map();
    for (const rule of index?.shedders?.rules ?? [])
      states.set(keyOf(rule), stateOf(rule, before.get(keyOf(rule))));
    if ([...states.values()].some(({ kind }) => kind === "worker"))
      watch ??= watchLoopDelay(clock, observeDelay);
    else stopWatch();
  }

  function stateOf({ limit }: ShedderRule, known: ShedderState | undefined): ShedderState {
    if (limit.kind === "worker") {
      if (known?.kind !== "worker") return { kind: "worker", shedder: createWorkerShedder(limit) };
      known.shedder.setLimit(limit);
      return known;
    }
    if (known?.kind === "fleet") {
      known.shedder.setLimit(limit, nowUs());
      return known;
    }
    const start = { self: name, nowUs: nowUs(), fleetSize: gateways };
    return { kind: "fleet", shedder: createFleetShedder(limit, start) };
  }

  function observeDelay(elapsedMs: number, lateMs: number): void {
    for (const state of states.values())
      if (state.kind === "worker") state.shedder.observe(elapsedMs, lateMs);
  }

  function stopWatch(): void {
    watch?.close();
    watch = null;
  }

  function statusOf(one: ShedderRule): ShedderStatus[] {
    const { limit } = one;
    const { id: rule, mode, lane } = one.compiled;
    const state = states.get(keyOf(one));
    if (limit.kind === "fleet" && state?.kind === "fleet") {
      const { kind, capacity, reserve } = limit;
      return [{ rule, mode, lane, kind, capacity, reserve, ...state.shedder.status() }];
    }
    if (limit.kind === "worker" && state?.kind === "worker") {
      const { kind, maxDelayMs } = limit;
      return [{ rule, mode, lane, kind, maxDelayMs, ...state.shedder.status() }];
    }
    return [];
  }

  return {
    name,
    nowUs,
    find: (rule) => {
      follow();
      const state = states.get(keyOf(rule));
      return state?.kind === rule.limit.kind ? state : null;
    },
    measure: (fleetSize) => {
      gateways = fleetSize;
      follow();
      const demand = new Map<string, PriorityRates>();
      for (const [id, state] of states)
        if (state.kind === "fleet") demand.set(id, state.shedder.measure(nowUs(), fleetSize));
      return demand.size === 0 ? null : demand;
    },
    hear: (from, demand) => {
      follow();
      for (const [id, state] of states)
        if (state.kind === "fleet") state.shedder.hear(from, demand.get(id) ?? null, nowUs());
    },
    status: () => {
      follow();
      return (current?.shedders?.rules ?? []).flatMap(statusOf);
    },
    close: stopWatch,
  };
}

/** A candidate's state is its own. */
function keyOf({ compiled: { id, lane } }: ShedderRule): string {
  return lane === "live" ? id : `${id} ${lane}`;
}
