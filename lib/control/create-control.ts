import { type Clock, SystemClock } from "@/lib/clock";
import { AppError } from "@/lib/core/errors";
import { deriveKeys } from "@/lib/core/secrets";
import { connectDatabase, inTransaction } from "@/lib/db/client";
import type { Log } from "@/lib/log";
import { connectRedis } from "@/lib/redis/connect";
import { controlKeys } from "@/lib/redis/control-keys";
import { type Counters, connectCounters } from "@/lib/redis/counters";
import { type Auth, createAuth } from "./auth";
import { type ChangeFeed, createChangeFeed } from "./change-feed";
import { clientAddress } from "./client-address";
import type { Control, ControlConfig, DerivedKeys } from "./context";
import { recordSignIn } from "./sign-in-audit";
import { unreachable } from "./sso";
import { admitBySso } from "./sso-person";

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
    webhook: deriveKeys(config.secrets, "webhook"),
  };
  const db = connectDatabase({ url: config.databaseUrl });
  const redis = connectRedis({
    address: controlAddress(config),
    ...(config.redis.ca === undefined ? {} : { ca: config.redis.ca }),
    role: "control",
    name: "headgate-control",
    log,
  });
  let counters: Counters | undefined;
  let changes: ChangeFeed | undefined;
  let auth: Promise<Auth> | undefined;
  let sso: Promise<Auth> | undefined;
  return {
    db,
    redis,
    redisKeys: controlKeys(config.environment),
    counters: () => {
      const { state, ca } = config.redis;
      const authority = ca === undefined ? {} : { ca };
      counters ??= connectCounters({ state, name: "headgate-counters", log, ...authority });
      return counters;
    },
    changes: () => {
      changes ??= createChangeFeed({ databaseUrl: config.databaseUrl, log });
      return changes;
    },
    environment: config.environment,
    keys,
    config,
    clock,
    log,
    auth: () => {
      auth ??= openAuth({ config, db, keys, log });
      return auth;
    },
    sso: async () => {
      // A server that does not answer now may answer the next one.
      sso ??= openSso({ config, db, keys, log }).catch((error: unknown) => {
        sso = undefined;
        throw error;
      });
      return sso;
    },
    close: async () => {
      redis.disconnect();
      counters?.close();
      await changes?.close();
      await db.$disconnect();
    },
  };
}

type Opened = Pick<Control, "config" | "db" | "keys" | "log">;

const DISCOVERY_TIMEOUT_MS = 5_000;

async function openSso(opened: Opened): Promise<Auth> {
  const { oidc } = opened.config;
  if (oidc === undefined)
    throw new AppError("not_found", "no single sign-on is configured (HEADGATE_OIDC_ISSUER)");
  // better-auth asks at its start, without a bound; asked before, so that nobody waits for it.
  const response = await fetch(`${oidc.issuer}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
  }).catch((cause: unknown) => {
    opened.log.error({ cause, issuer: oidc.issuer }, "single sign-on does not answer");
    throw unreachable(opened);
  });
  if (!response.ok) throw unreachable(opened);
  return openAuth(opened, {
    settings: oidc,
    admit: (claims) => admitBySso(opened, oidc, claims),
  });
}

async function openAuth(
  { config, db, keys }: Opened,
  sso?: Parameters<typeof createAuth>[0]["sso"],
): Promise<Auth> {
  const { publicUrl, environment } = config;
  if (publicUrl === undefined)
    throw new AppError("unavailable", "this process has no public URL, so nobody signs in here");
  const secret = Buffer.from(keys.session[0].secret).toString("base64url");
  const way = sso === undefined ? "password" : "single sign-on";
  return createAuth({
    db,
    publicUrl,
    secret,
    environment,
    admitSession: ({ userId, headers }) =>
      inTransaction(db, async (tx) => {
        const user = await tx.user.findUnique({ where: { id: userId } });
        if (user === null || user.banned) return false;
        await recordSignIn(tx, { user, address: clientAddress(headers), way });
        return true;
      }),
    ...(sso === undefined ? {} : { sso }),
  });
}

function controlAddress({ redis }: ControlConfig) {
  if (redis.control.kind === "single") return redis.control.node;
  throw new AppError(
    "invalid",
    "snapshot and streams need one Redis: with REDIS_CLUSTER set REDIS_CONTROL_URL too",
  );
}
