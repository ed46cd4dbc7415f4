import { type Control, type ControlConfig, createControl } from "../control";
import { runIngestCounts } from "../ingest/ingest-counts";
import { openWorker } from "../ingest/worker-context";
import { createLog } from "../log";
import { TEST_TIMINGS } from "./worker";

// An ingest in a process of its own that kills itself (SIGKILL) in the middle of its work. DOOMED says where.

export type DoomedIngest = {
  config: ControlConfig;
  /** statement: that many writes of one transaction are done. commit: that many transactions are, and nothing is acknowledged. */
  diesAfter: { statement: number } | { commit: number };
};

const { config, diesAfter } = JSON.parse(process.env.DOOMED ?? "{}") as DoomedIngest;
const control = createControl(config, { log: createLog({ name: "doomed", level: "silent" }) });
const worker = openWorker({ ...control, db: dying(control.db) }, TEST_TIMINGS);
await runIngestCounts(worker, new AbortController().signal);

/** Nothing of this process runs after it. */
function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

function dying(db: Control["db"]): Control["db"] {
  let commits = 0;
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== "$transaction") return Reflect.get(target, name);
      return async (work: (tx: unknown) => Promise<unknown>, options: object) => {
        const done: unknown = await target.$transaction((tx) => work(dyingWrites(tx)), options);
        commits += 1;
        if ("commit" in diesAfter && commits === diesAfter.commit) await die();
        return done;
      };
    },
  });
}

function dyingWrites(tx: object): object {
  let statements = 0;
  return new Proxy(tx, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "$executeRaw") return member.bind(target);
      return async (...args: unknown[]) => {
        const reply: unknown = await member.apply(target, args);
        statements += 1;
        if ("statement" in diesAfter && statements === diesAfter.statement) await die();
        return reply;
      };
    },
  });
}
