import { setImmediate as turn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import type {
  DirectoryDelta,
  DirectoryEntry,
  DirectoryHead,
  DirectoryPosition,
} from "@/lib/core/directory";
import { AppError } from "@/lib/core/errors";
import type { Log } from "@/lib/log";
import type { ControlKeys } from "@/lib/redis/control-keys";
import {
  readDirectoryBase,
  readDirectoryDeltas,
  readDirectoryPosition,
} from "@/lib/redis/directory";
import { reasonOf } from "@/lib/redis/reason";
import type { BootFolder } from "./boot-folder";
import type { ControlHttp } from "./control-http";
import { directoryFile } from "./directory-file";
import { createDirectoryIndex, type DirectoryIndex } from "./directory-index";
import { createDirectorySaver } from "./directory-saver";
import { type LoadedDirectory, loadChunks, loadDocument } from "./load-directory";
import { createSyncLoop } from "./sync-loop";

export const DIRECTORY_POLL_MS = 3_000;
/** An import's steps have up to 2,000 entries each, which take some ms to read. */
const DELTAS_A_READ = 8;
const LARGE_DELTA = 100;

export type DirectorySync = {
  index(): DirectoryIndex;
  /** Null until a base was loaded: before that, an unknown key may well be a known one. */
  position(): DirectoryPosition | null;
  isComplete(): boolean;
  error(): string | null;
  /** Takes its file, if there is one. */
  load(): Promise<void>;
  onNotice(position: DirectoryPosition): void;
  check(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  environment: string;
  redis: Redis;
  redisKeys: ControlKeys;
  http: ControlHttp;
  boot: BootFolder;
  /** Somebody's plan or override is another now. */
  onLimitsChanged?(): void;
  /** The first time that it is complete, and after a base was loaded. */
  onChange(): void;
  clock: Clock;
  log: Log;
  pollMs?: number;
};

/** Follows the directory: a base, then every delta in order; after a gap the base again. */
export function createDirectorySync(options: Options): DirectorySync {
  const { environment, redis, redisKeys, http, log } = options;
  const file = directoryFile(options.boot, environment);
  let index = createDirectoryIndex();
  let position: DirectoryPosition | null = null;
  let error: string | null = null;

  const saver = createDirectorySaver({
    file,
    current: () => {
      if (position === null) return null;
      const format = "headgate-directory/1";
      const head = { format, environment, ...position, expected: index.expected() } as const;
      return { head, chunks: index.chunks() };
    },
    log,
  });

  const loop = createSyncLoop<"notice">({
    what: "directory",
    intervalMs: options.pollMs ?? DIRECTORY_POLL_MS,
    log,
    run: async () => {
      const problems: string[] = [];
      const isDone = (await ask(checkRedis, problems)) || (await ask(checkHttp, problems));
      error = isDone ? null : problems.join("; ").slice(0, 1000);
    },
  });

  async function checkRedis(): Promise<void> {
    if (redis.status !== "ready") throw new AppError("unavailable", "Redis is not connected");
    const held = await readDirectoryPosition(redis, redisKeys);
    if (held === null) throw new AppError("unavailable", "Redis holds no directory");
    if (position === null || held.epoch > position.epoch) await loadBase();
    if (await followRedis(held)) return;
    if (position === null || isNewer(held, position)) await loadBase();
    if (!(await followRedis(held)))
      throw new AppError("unavailable", `Redis has no way on from ${position?.seq} to ${held.seq}`);
  }

  /** False when the deltas do not lead from here to where Redis says that its base is. */
  async function followRedis(held: DirectoryPosition): Promise<boolean> {
    while (position !== null) {
      if (held.epoch < position.epoch) return true;
      const deltas = await readDirectoryDeltas(redis, redisKeys, position.seq, DELTAS_A_READ);
      if (!(await follow(deltas))) return false;
      if (deltas.length < DELTAS_A_READ) return !isNewer(held, position);
    }
    return false;
  }

  async function loadBase(): Promise<void> {
    const base = await readDirectoryBase(redis, redisKeys);
    if (base === null) throw new AppError("unavailable", "the directory went from Redis");
    if (!isWanted(base.head)) return;
    replace(await loadChunks(base.head, base.chunks));
  }

  async function checkHttp(): Promise<void> {
    for (;;) {
      const answer = await http.getDirectory(position);
      if (answer.kind === "base") break;
      if (answer.deltas.length === 0) return;
      if (!(await follow(answer.deltas))) break;
    }
    replace(await loadDocument(await http.getDirectoryBase(), () => true));
  }

  /** Throws for one of another environment; an older one is no news. */
  function isWanted(head: DirectoryHead): boolean {
    if (head.environment !== environment)
      throw new AppError(
        "unavailable",
        `the directory is of environment "${head.environment}", this gateway serves "${environment}"`,
      );
    return position === null || isNewer(head, position);
  }

  /** Never puts an older directory over a newer one. */
  function replace(loaded: LoadedDirectory): void {
    if (!isWanted(loaded.head)) return;
    take(loaded);
    options.onLimitsChanged?.();
    log.info({ ...position, ...index.size() }, "directory loaded");
    saver.saveBase();
    options.onChange();
  }

  function take({ head, index: loaded }: LoadedDirectory): void {
    index = loaded;
    position = { epoch: head.epoch, seq: head.seq };
  }

  /** False at the first delta that is not the next one. */
  async function follow(deltas: readonly DirectoryDelta[]): Promise<boolean> {
    const taken: DirectoryDelta[] = [];
    let changesLimits = false;
    for (const delta of deltas) {
      changesLimits ||= delta.entries.some((entry) => changesLimit(entry, index));
      if (!applyNext(delta)) break;
      taken.push(delta);
      // A request waits for one step of an import at most.
      if (delta.entries.length > LARGE_DELTA) await turn();
    }
    if (changesLimits) options.onLimitsChanged?.();
    if (taken.length > 0) saver.saveDeltas(taken);
    return taken.length === deltas.length;
  }

  function applyNext(delta: DirectoryDelta): boolean {
    if (position === null || delta.epoch !== position.epoch || delta.seq !== position.seq + 1)
      return false;
    for (const entry of delta.entries) index.apply(entry);
    position = { epoch: delta.epoch, seq: delta.seq };
    return true;
  }

  async function loadFile(): Promise<void> {
    try {
      const found = await file.read();
      if (found === null) return;
      take(found);
      for (const delta of found.deltas) if (!applyNext(delta)) break;
      log.info({ ...position, ...index.size(), source: "file" }, "directory loaded");
      options.onChange();
    } catch (cause) {
      log.error({ error: cause }, "boot file of the directory cannot be read");
    }
  }

  return {
    index: () => index,
    position: () => position,
    isComplete: () => position !== null,
    error: () => error,
    load: loadFile,
    onNotice: (told) => {
      if (position === null || isNewer(told, position)) void loop.trigger("notice");
    },
    check: () => loop.trigger("notice"),
    close: async () => {
      await loop.close();
      await saver.settled();
    },
  };
}

/** A new customer or key has no buckets yet. */
function changesLimit(entry: DirectoryEntry, index: DirectoryIndex): boolean {
  if (entry.type === "override") return true;
  if (entry.type === "key") return false;
  const plan = index.planOf(entry.id);
  return plan !== null && (entry.removed || entry.plan !== plan);
}

function isNewer(a: DirectoryPosition, b: DirectoryPosition): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.seq > b.seq);
}

async function ask(source: () => Promise<void>, problems: string[]): Promise<boolean> {
  try {
    await source();
    return true;
  } catch (error) {
    problems.push(reasonOf(error));
    return false;
  }
}
