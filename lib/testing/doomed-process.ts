import { z } from "zod";
import {
  type Control,
  type ControlConfig,
  createControl,
  SYSTEM,
  setRuleMode,
  withActor,
} from "../control";
import { startWorker } from "../ingest/start-worker";
import { createLog } from "../log";

// A publisher or a worker in a process of its own that kills itself (SIGKILL) at one step. DOOMED says which.

export type Doomed = {
  config: ControlConfig;
  diesAfter: "the work, before its commit" | "the commit" | "the snapshot" | "the notice";
  mode: "off" | "shadow";
};

const NoticeHeadSchema = z.object({ kind: z.string() });

const { config, diesAfter, mode } = JSON.parse(process.env.DOOMED ?? "{}") as Doomed;
const control = createControl(config, { log: createLog({ name: "doomed", level: "silent" }) });
if (diesAfter === "the snapshot" || diesAfter === "the notice")
  startWorker({ ...control, redis: dyingRedis(control) }, { relayPollMs: 50, reassertMs: 60_000 });
else await publishAndDie();

async function publishAndDie(): Promise<void> {
  const db = diesAfter === "the commit" ? control.db : dyingBeforeCommit(control.db);
  await setRuleMode(
    { ...withActor(control, SYSTEM), db },
    { id: "new-links-free", mode, reason: "killed" },
  );
  await die();
}

/** Nothing of this process runs after it. */
function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

function dyingBeforeCommit(db: Control["db"]): Control["db"] {
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== "$transaction") return Reflect.get(target, name);
      return (work: (tx: unknown) => Promise<unknown>) =>
        target.$transaction(async (tx) => {
          await work(tx);
          await die();
        });
    },
  });
}

function dyingRedis({ redis, redisKeys }: Control): Control["redis"] {
  return new Proxy(redis, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "eval" && name !== "publish") return member.bind(target);
      return async (...args: unknown[]) => {
        const reply: unknown = await member.apply(target, args);
        const isSnapshot = name === "eval" && args[2] === redisKeys.snapshot && reply === 1;
        if (diesAfter === "the snapshot" && isSnapshot) await die();
        const isNotice = name === "publish" && kindOf(args[1]) === "version";
        if (diesAfter === "the notice" && isNotice) await die();
        return reply;
      };
    },
  });
}

function kindOf(message: unknown): string {
  return NoticeHeadSchema.parse(JSON.parse(String(message))).kind;
}
