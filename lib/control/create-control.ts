import { type Clock, SystemClock } from "@/lib/clock";
import { AppError } from "@/lib/core/errors";
import { deriveKeys } from "@/lib/core/secrets";
import { connectDatabase } from "@/lib/db/client";
import type { Log } from "@/lib/log";
import { connectRedis } from "@/lib/redis/connect";
import { controlKeys } from "@/lib/redis/control-keys";
import { type Auth, createAuth } from "./auth";
import type { Control, ControlConfig, DerivedKeys } from "./context";

type Options = { log: Log; clock?: Clock };

/** Opens database and Redis, both lazily: neither needs to be there yet. One per process. */
export function createControl(
  config: ControlConfig,
  { log, clock = new SystemClock() }: Options,
): Control {
  const keys: DerivedKeys = {
    snapshot: deriveKeys(config.secrets, "snapshot"),
    apiKey: deriveKeys(config.secrets, "api-key"),
    apiToken: deriveKeys(config.secrets, "api-token"),
    session: deriveKeys(config.secrets, "session"),
  };
  const db = connectDatabase({ url: config.databaseUrl });
  const redis = connectRedis({
    address: controlAddress(config),
    ...(config.redis.ca === undefined ? {} : { ca: config.redis.ca }),
    role: "control",
    name: "headgate-control",
    log,
  });
  let auth: Promise<Auth> | undefined;
  return {
    db,
    redis,
    redisKeys: controlKeys(config.environment),
    environment: config.environment,
    keys,
    config,
    clock,
    log,
    auth: () => {
      auth ??= openAuth(config, db, keys);
      return auth;
    },
    close: async () => {
      redis.disconnect();
      await db.$disconnect();
    },
  };
}

async function openAuth(
  config: ControlConfig,
  db: Control["db"],
  keys: DerivedKeys,
): Promise<Auth> {
  const { publicUrl, environment } = config;
  if (publicUrl === undefined)
    throw new AppError("unavailable", "this process has no public URL, so nobody signs in here");
  const secret = Buffer.from(keys.session[0].secret).toString("base64url");
  return createAuth({ db, publicUrl, secret, environment });
}

function controlAddress({ redis }: ControlConfig) {
  if (redis.control.kind === "single") return redis.control.node;
  throw new AppError(
    "invalid",
    "snapshot and streams need one Redis: with REDIS_CLUSTER set REDIS_CONTROL_URL too",
  );
}
