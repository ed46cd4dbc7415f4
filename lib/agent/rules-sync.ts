import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import { compileRuleset, rulesetSteps } from "@/lib/core/compile-ruleset";
import { AppError } from "@/lib/core/errors";
import type { Heartbeat } from "@/lib/core/heartbeat";
import type { ReadBody } from "@/lib/core/read-body";
import type { RulesetIndex } from "@/lib/core/ruleset-index";
import { type SigningKey, snapshotSteps } from "@/lib/core/snapshot";
import type { Steps } from "@/lib/core/steps";
import { compareVersions, type VersionId } from "@/lib/core/version";
import type { Log } from "@/lib/log";
import type { ControlKeys } from "@/lib/redis/control-keys";
import { reasonOf } from "@/lib/redis/reason";
import { readSnapshotDocument, readSnapshotHead, type SnapshotHead } from "@/lib/redis/snapshot";
import type { BootFolder } from "./boot-folder";
import type { ControlHttp } from "./control-http";
import { inTurns } from "./in-turns";
import { createSyncLoop } from "./sync-loop";

export const RULES_POLL_MS = 3_000;
/** A refused document may have been mended where it lies, so it is read again, but seldom. */
const REFUSED_RETRY_MS = 60_000;

type Applied = NonNullable<Heartbeat["applied"]>;
type Refused = NonNullable<Heartbeat["refused"]>;
type Source = Applied["source"];
/** What a source that answered has: our version (now) or an older one, or one that this gateway refuses. */
type Compared = "current" | "refused";

export type RulesSync = {
  /** In force; null until a first version was found. Replaced in one assignment, never changed. */
  current(): RulesetIndex | null;
  status(): {
    applied: Applied | null;
    refused: Refused | null;
    /** Since a source that answered was last compared with; null before the first. */
    checkedAgoMs: number | null;
    error: string | null;
  };
  /** Takes the boot file, if there is one. */
  load(): Promise<void>;
  onNotice(head: SnapshotHead): void;
  /** The console said what its current version is. */
  onCurrent(version: VersionId): void;
  /** Compiles what is in force anew: other rules are stopped here than before. */
  recompile(): void;
  /** Compares now; resolves after that. */
  check(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  environment: string;
  keys: readonly SigningKey[];
  redis: Redis;
  redisKeys: ControlKeys;
  http: ControlHttp;
  boot: BootFolder;
  /** Rules and lists that this gateway does not enforce, whatever the version says. */
  stopped(): readonly string[];
  /** After each swap. */
  onApplied?(): void;
  /** After each swap and each refusal: report at once. */
  onChange(): void;
  clock: Clock;
  log: Log;
  pollMs?: number;
};

/** Brings the newest version here, from Redis, else from the console; never an older one over a newer one. */
export function createRulesSync(options: Options): RulesSync {
  const { environment, keys, redis, redisKeys, http, boot, clock, log } = options;
  let current: RulesetIndex | null = null;
  let known: ReadBody | null = null;
  let applied: Applied | null = null;
  /** `hash`: what Redis calls the document; null if it came from elsewhere, as Redis may hold a sound one. */
  let refused: (Refused & { hash: string | null; untilMs: number }) | null = null;
  let checkedAtMs: number | null = null;
  let error: string | null = null;
  let etag: { value: string; result: Compared } | null = null;

  const loop = createSyncLoop<"push">({
    what: "rules",
    intervalMs: options.pollMs ?? RULES_POLL_MS,
    log,
    run: async (reason) => {
      const problems: string[] = [];
      const fromRedis = await ask(() => checkRedis(reason), problems);
      const fromHttp = fromRedis === "current" ? null : await ask(checkHttp, problems);
      if (fromRedis !== null || fromHttp !== null) checkedAtMs = clock.monotonicMs();
      const isCurrent = fromRedis === "current" || fromHttp === "current";
      error = isCurrent ? null : [...problems, refused?.reason ?? ""].filter(Boolean).join("; ");
    },
  });

  async function checkRedis(source: Source): Promise<Compared> {
    if (redis.status !== "ready") throw new AppError("unavailable", "Redis is not connected");
    const head = await readSnapshotHead(redis, redisKeys);
    if (head === null) throw new AppError("unavailable", "Redis holds no snapshot");
    if (!isNews(head)) return "current";
    if (isRefused(head)) return "refused";
    const document = await readSnapshotDocument(redis, redisKeys);
    if (document === null) throw new AppError("unavailable", "the snapshot went from Redis");
    return take(document, source, head);
  }

  async function checkHttp(): Promise<Compared> {
    const isTooSoon = refused !== null && clock.monotonicMs() < refused.untilMs;
    const known = etag !== null && (etag.result === "current" || isTooSoon) ? etag : null;
    const answer = await http.getSnapshot(known?.value ?? null);
    if (answer === "same") return known?.result ?? "current";
    const result = await take(answer.document, "http", null);
    etag = answer.etag === null ? null : { value: answer.etag, result };
    return result;
  }

  function isNews(head: SnapshotHead): boolean {
    if (current === null) return true;
    const order = compareVersions(head, current.id);
    return order > 0 || (order === 0 && head.hash !== current.hash);
  }

  function isRefused(head: SnapshotHead): boolean {
    return (
      refused !== null &&
      compareVersions(refused, head) === 0 &&
      refused.hash === head.hash &&
      clock.monotonicMs() < refused.untilMs
    );
  }

  /** Verifies, compiles aside, swaps, keeps, then reports. Refused: the old rules stay. */
  async function take(
    document: Uint8Array,
    source: Source,
    expected: SnapshotHead | null,
  ): Promise<Compared> {
    const read = await inTurns(
      snapshotSteps(document, {
        environment,
        keys,
        hashOf: sha256,
        known: known ?? undefined,
      }),
    );
    if (!read.ok) return refuse(expected, read.envelope, read.reason);
    const { envelope } = read;
    const head = { epoch: envelope.epoch, version: envelope.version, hash: envelope.hash };
    if (expected !== null && compareVersions(head, expected) < 0)
      return refuse(expected, head, `the document is of version ${head.version}, an older one`);
    if (!isNews(head)) return "current";
    let index: RulesetIndex;
    let stopped = options.stopped();
    try {
      const compiled = () => inTurns(rulesetSteps(read.body, head, current ?? undefined, stopped));
      index = await compiled();
      // Somebody at this machine spoke meanwhile.
      while (JSON.stringify(stopped) !== JSON.stringify(options.stopped())) {
        stopped = options.stopped();
        index = await compiled();
      }
    } catch (cause) {
      return refuse(
        expected,
        head,
        `it does not compile: ${cause instanceof Error ? cause.message : cause}`,
      );
    }
    current = index;
    known = read.read;
    applied = { ...head, appliedAtMs: clock.nowMs(), source };
    if (refused !== null && compareVersions(refused, head) <= 0) refused = null;
    options.onApplied?.();
    log.info({ ...head, source, rules: read.body.rules.length }, "version applied");
    if (source !== "file") await keep(document);
    options.onChange();
    return "current";
  }

  function recompile(): void {
    if (current === null || known === null) return;
    const { id, hash } = current;
    current = compileRuleset(known.body, { ...id, hash }, current, options.stopped());
    options.onApplied?.();
    options.onChange();
  }

  async function keep(document: Uint8Array): Promise<void> {
    try {
      await boot.write("snapshot", document);
    } catch (cause) {
      log.error({ error: cause }, "boot file of the rules cannot be written");
    }
  }

  /** Remembered by what Redis calls it, if Redis had it: a damaged document may call itself anything. */
  function refuse(
    expected: SnapshotHead | null,
    claimed: VersionId | null,
    why: string,
  ): "refused" {
    const { epoch, version } = expected ?? claimed ?? { epoch: 0, version: 0 };
    const reason = why.slice(0, 1000);
    const before =
      refused !== null && compareVersions(refused, { epoch, version }) === 0 ? refused : null;
    const isKnown = before?.reason === reason;
    const hash = expected?.hash ?? before?.hash ?? null;
    refused = { epoch, version, hash, reason, untilMs: clock.monotonicMs() + REFUSED_RETRY_MS };
    if (isKnown) return "refused";
    log.error({ epoch, version, reason }, "snapshot refused, the old rules stay");
    options.onChange();
    return "refused";
  }

  async function loadBootFile(): Promise<void> {
    try {
      const document = await boot.read("snapshot");
      if (document !== null) await take(document, "file", null);
    } catch (cause) {
      log.error({ error: cause }, "boot file of the rules cannot be read");
    }
  }

  return {
    current: () => current,
    status: () => ({
      applied,
      refused: refused && {
        epoch: refused.epoch,
        version: refused.version,
        reason: refused.reason,
      },
      checkedAgoMs: checkedAtMs === null ? null : Math.round(clock.monotonicMs() - checkedAtMs),
      error: error === null ? null : error.slice(0, 1000),
    }),
    load: loadBootFile,
    onNotice: (head) => {
      if (isNews(head)) void loop.trigger("push");
      else checkedAtMs = clock.monotonicMs();
    },
    onCurrent: (version) => {
      if (current === null || compareVersions(version, current.id) > 0) void loop.trigger("push");
    },
    recompile,
    check: () => loop.trigger("push"),
    close: () => loop.close(),
  };
}

const HASHED_A_STEP = 512 * 1024;

function* sha256(bytes: Uint8Array): Steps<string> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += HASHED_A_STEP) {
    hash.update(bytes.subarray(at, at + HASHED_A_STEP));
    yield;
  }
  return hash.digest("hex");
}

/** Asks one source; one that does not answer leaves its sentence and gives null. */
async function ask(source: () => Promise<Compared>, problems: string[]): Promise<Compared | null> {
  try {
    return await source();
  } catch (error) {
    problems.push(reasonOf(error));
    return null;
  }
}
