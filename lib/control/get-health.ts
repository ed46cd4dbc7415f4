import type { Health } from "@/lib/core/api/health";
import { findInstallation } from "@/lib/db/installation";
import type { Control } from "./context";
import { isRedisUp } from "./redis-up";

const ANSWER_MS = 2_000;

/** Open to all: says only what is up. `ok` and `degraded` are 200, `unavailable` is 503. */
export async function getHealth(control: Control): Promise<Health> {
  const [installation, isUp] = await Promise.all([lookUp(control), isRedisUp(control)]);
  const version = installation?.version || null;
  const isServing = version !== null;
  return {
    status: isServing ? (isUp ? "ok" : "degraded") : "unavailable",
    postgres: installation === undefined ? "unavailable" : "ok",
    redis: isUp ? "ok" : "unavailable",
    version,
  };
}

/** Undefined when Postgres does not answer in time, null before the first start. */
async function lookUp({ db, log }: Control) {
  const deadline = new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), ANSWER_MS).unref();
  });
  const found = findInstallation(db).catch((error: unknown) => {
    log.debug({ error }, "health: postgres does not answer");
    return undefined;
  });
  return Promise.race([found, deadline]);
}
