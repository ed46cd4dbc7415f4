import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { AgentStatus } from "@/lib/agent/agent";
import type { CountedRequest } from "@/lib/agent/counts";
import { type CountedRule, isCounted } from "@/lib/core/counts";
import type { Limiter } from "@/lib/limiter";
import type { CredentialSource } from "./identify";
import { addLimiterSeries } from "./limiter-metrics";
import type { ProxyFailure } from "./proxy";
import { addShedderSeries, type ShedderSources } from "./shedder-metrics";

/**
 * What this gateway did with a request. denied: 403, by the deny list. unauthenticated: 401, an unknown key by
 * setting. shed: 503, by a shedder. unavailable: 503, no rules yet, or a failMode that refuses. invalid: 400, no
 * request target that could be matched.
 */
export const VERDICTS = [
  "allowed",
  "refused",
  "shed",
  "denied",
  "unauthenticated",
  "unavailable",
  "invalid",
] as const;
export type Verdict = (typeof VERDICTS)[number];

export type IdentityCounters = {
  /** Requests with a credential that is nobody's. */
  unknown: Record<CredentialSource, number>;
  /** Trusted headers taken out, as no trusted hop sent them. */
  refusedHeaders: number;
  /** An embedder's function that did not answer with a client or null. */
  failures: Record<"error" | "timeout" | "invalid", number>;
};

export type Metrics = {
  /** Only ever added to. */
  identity: IdentityCounters;
  request(verdict: Verdict): void;
  decided(request: Pick<CountedRequest, "matched" | "outcomes" | "unchecked" | "verdict">): void;
  checkTook(ms: number): void;
  upstreamFailed(kind: ProxyFailure["kind"]): void;
  forwardedForJunk(): void;
  allowListed(): void;
  /** The text of GET /metrics. */
  text(): Promise<string>;
  contentType: string;
  close(): void;
};

type Sources = ShedderSources & {
  agent: () => AgentStatus;
  limiter: Pick<Limiter, "counters" | "memory" | "status" | "inFlight">;
};
type RuleTally = { rule: string; mode: string; matches: number; rejections: number };

/** Seconds. A check is one round trip: mostly below a millisecond, at most the deadline. */
const CHECK_BUCKETS = [0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 1];

/** Requests only add to plain numbers; they become series when somebody reads. */
export function createMetrics(sources: Sources): Metrics {
  const registry = new Registry();
  const verdicts = Object.fromEntries(VERDICTS.map((name) => [name, 0])) as Record<Verdict, number>;
  const failures: Record<ProxyFailure["kind"], number> = { unreachable: 0, broken: 0, timeout: 0 };
  const tallies = new Map<string, RuleTally>();
  const tallyOf = new WeakMap<CountedRule, RuleTally>();
  const identity: IdentityCounters = {
    unknown: { key: 0, "trusted-header": 0 },
    refusedHeaders: 0,
    failures: { error: 0, timeout: 0, invalid: 0 },
  };
  let junk = 0;
  let allowListed = 0;

  function findTally(compiled: CountedRule): RuleTally {
    const held = tallyOf.get(compiled);
    if (held !== undefined) return held;
    const { id: rule, mode } = compiled;
    const key = `${rule} ${mode}`;
    const tally = tallies.get(key) ?? { rule, mode, matches: 0, rejections: 0 };
    tallies.set(key, tally);
    tallyOf.set(compiled, tally);
    return tally;
  }

  const { series } = seriesOf(registry);
  series(
    "headgate_requests_total",
    "Requests, by what this gateway did with them.",
    "verdict",
    () => Object.entries(verdicts).map(([verdict, value]) => [{ verdict }, value]),
  );
  series("headgate_matches_total", "Requests that a rule applied to.", "rule mode", () =>
    [...tallies.values()].map(({ rule, mode, matches }) => [{ rule, mode }, matches]),
  );
  series(
    "headgate_rejections_total",
    "Requests that a rule refused (mode enforce) or would have refused (mode shadow).",
    "rule mode",
    () => [...tallies.values()].map(({ rule, mode, rejections }) => [{ rule, mode }, rejections]),
  );
  series("headgate_upstream_failures_total", "Answers 502 and 504, by kind.", "kind", () =>
    Object.entries(failures).map(([kind, value]) => [{ kind }, value]),
  );
  series(
    "headgate_forwarded_for_junk_total",
    "Address headers (X-Forwarded-For or Forwarded) of trusted hops without an address.",
    "",
    () => [[{}, junk]],
  );
  addIdentitySeries(registry, identity);
  series(
    "headgate_allow_listed_total",
    "Requests that the allow list let pass without any rule.",
    "",
    () => [[{}, allowListed]],
  );
  const checkSeconds = new Histogram({
    name: "headgate_check_duration_seconds",
    help: "Time that a request waited for its check.",
    buckets: CHECK_BUCKETS,
    registers: [registry],
  });
  addLimiterSeries(registry, sources.limiter);
  addAgentSeries(registry, sources.agent);
  addShedderSeries(registry, sources);
  const lag = addEventLoopLag(registry);

  return {
    identity,
    request: (verdict) => {
      verdicts[verdict] += 1;
    },
    decided: ({ matched, outcomes, unchecked, verdict }) => {
      for (let i = 0; i < matched.length; i += 1) {
        const compiled = matched[i]?.compiled;
        if (compiled === undefined) continue;
        if (unchecked.length > 0 && unchecked.includes(compiled.id)) continue;
        const outcome = outcomes[i];
        if (outcome !== undefined && !isCounted(outcome, verdict)) continue;
        const tally = findTally(compiled);
        tally.matches += 1;
        if (outcome?.allowed === false) tally.rejections += 1;
      }
    },
    checkTook: (ms) => checkSeconds.observe(ms / 1000),
    upstreamFailed: (kind) => {
      failures[kind] += 1;
    },
    forwardedForJunk: () => {
      junk += 1;
    },
    allowListed: () => {
      allowListed += 1;
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
    close: lag.close,
  };
}

type Labelled = readonly (readonly [Record<string, string>, number])[];

function seriesOf(registry: Registry) {
  const registers = [registry];
  return {
    /** A counter whose values are kept elsewhere. */
    series: (name: string, help: string, labels: string, read: () => Labelled) => {
      const labelNames = labels === "" ? [] : labels.split(" ");
      return new Counter({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const [values, value] of read()) this.inc(values, value);
        },
      });
    },
    gauge: (name: string, help: string, read: () => number | null) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const value = read();
          if (value === null) this.remove();
          else this.set(value);
        },
      }),
  };
}

function addIdentitySeries(registry: Registry, counters: IdentityCounters): void {
  const { series } = seriesOf(registry);
  series(
    "headgate_unknown_clients_total",
    "Requests with a credential that is nobody's, by where it stood.",
    "source",
    () => Object.entries(counters.unknown).map(([source, value]) => [{ source }, value]),
  );
  series(
    "headgate_trusted_header_refused_total",
    "Headers naming a client that no trusted hop sent, taken out.",
    "",
    () => [[{}, counters.refusedHeaders]],
  );
  series(
    "headgate_identify_failures_total",
    "Answers of the embedder's identify function that were none.",
    "reason",
    () => Object.entries(counters.failures).map(([reason, value]) => [{ reason }, value]),
  );
}

function addAgentSeries(registry: Registry, status: Sources["agent"]): void {
  const { series, gauge } = seriesOf(registry);
  gauge("headgate_mode_local", "1 while Redis does not decide.", () =>
    status().mode === "local" ? 1 : 0,
  );
  gauge("headgate_stop_enforcing", "1 while this machine says not to enforce.", () =>
    status().stopEnforcing === null ? 0 : 1,
  );
  gauge("headgate_rules_version", "Version in force.", () => status().rules.applied?.version ?? 0);
  gauge("headgate_rules_epoch", "Epoch in force.", () => status().rules.applied?.epoch ?? 0);
  gauge("headgate_rules_refused", "1 while a newer version is refused.", () =>
    status().rules.refused === null ? 0 : 1,
  );
  gauge("headgate_rules_checked_age_seconds", "Since the version was last compared.", () => {
    const age = status().rules.checkedAgoMs;
    return age === null ? null : age / 1000;
  });
  gauge(
    "headgate_directory_seq",
    "Sequence of the directory.",
    () => status().directory.position?.seq ?? 0,
  );
  gauge("headgate_directory_complete", "1 once the directory is here.", () =>
    status().directory.complete ? 1 : 0,
  );
  gauge(
    "headgate_batches_waiting",
    "Count batches that nobody took yet.",
    () => status().batches.waiting,
  );
  series("headgate_batches_dropped_total", "Count batches given up.", "", () => [
    [{}, status().batches.dropped],
  ]);
  series("headgate_tape_requests_total", "Requests put on tape.", "", () => [
    [{}, status().tape.recorded],
  ]);
  series(
    "headgate_tape_dropped_total",
    "Requests of clients on tape that were not kept, or given up.",
    "",
    () => [[{}, status().tape.dropped]],
  );
}

function addEventLoopLag(registry: Registry): { close(): void } {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  seriesOf(registry).gauge(
    "headgate_event_loop_lag_seconds",
    "How late timers were, 99th percentile since last read.",
    () => {
      const seconds = delay.percentile(99) / 1e9;
      delay.reset();
      return Number.isFinite(seconds) ? seconds : 0;
    },
  );
  return { close: () => void delay.disable() };
}
