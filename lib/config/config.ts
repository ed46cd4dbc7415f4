import { hostname } from "node:os";
import type { z } from "zod";
import type { LogLevel } from "../log";
import { type OidcConfig, oidcOf, oidcProblems, oidcShape } from "./oidc-config";
import { type Environment, read } from "./read";
import { type RedisConfig, redisOf, redisProblems, redisShape } from "./redis-config";
import { ensureSecrets, findSecrets, secretsFile } from "./secrets";
import { type TrustProxy, variables } from "./variables";

type Common = {
  environment: string;
  dataDir: string;
  /** The first signs and hashes, all verify. */
  secrets: [string, ...string[]];
  redis: RedisConfig;
  logLevel: LogLevel;
};

export type WorkerConfig = Common & {
  databaseUrl: string;
  /** Webhooks may also go to addresses that are not of the public internet. */
  webhookAllowPrivate: boolean;
  /** Where browsers reach the console, without a slash at the end. */
  publicUrl?: string;
};

export type ConsoleConfig = WorkerConfig & {
  port: number;
  host: string;
  publicUrl: string;
  gatewayToken: string;
  admin: { email: string; password: string };
  bootstrapToken?: string;
  oidc?: OidcConfig;
};

export type GatewayConfig = Common & {
  id: string;
  host: string;
  port: number;
  adminPort: number;
  upstream: string;
  controlUrl: string;
  gatewayToken: string;
  checkDeadlineMs: number;
  leaseAbovePerSecond: number;
  stopEnforcing?: string;
  trustProxy: TrustProxy;
};

export type CliConfig = { controlUrl: string; token?: string };

const v = variables;

const common = {
  HEADGATE_ENVIRONMENT: v.HEADGATE_ENVIRONMENT.default("default"),
  HEADGATE_DATA: v.HEADGATE_DATA.prefault(".headgate"),
  HEADGATE_SECRET: v.HEADGATE_SECRET.optional(),
  ...redisShape,
  HEADGATE_LOG_LEVEL: v.HEADGATE_LOG_LEVEL.default("info"),
};

const webhookShape = {
  HEADGATE_WEBHOOK_ALLOW_PRIVATE: v.HEADGATE_WEBHOOK_ALLOW_PRIVATE.default("false"),
};

const workerShape = {
  ...common,
  DATABASE_URL: v.DATABASE_URL,
  /** For the links in what is sent. */
  HEADGATE_PUBLIC_URL: v.HEADGATE_PUBLIC_URL.optional(),
  ...webhookShape,
};

const consoleShape = {
  ...common,
  PORT: v.PORT.default(3000),
  HEADGATE_HOST: v.HEADGATE_HOST.default("127.0.0.1"),
  HEADGATE_PUBLIC_URL: v.HEADGATE_PUBLIC_URL.optional(),
  DATABASE_URL: v.DATABASE_URL,
  ...webhookShape,
  HEADGATE_GATEWAY_TOKEN: v.HEADGATE_GATEWAY_TOKEN.optional(),
  HEADGATE_ADMIN_EMAIL: v.HEADGATE_ADMIN_EMAIL.default("admin@headgate.local"),
  HEADGATE_ADMIN_PASSWORD: v.HEADGATE_ADMIN_PASSWORD.optional(),
  HEADGATE_BOOTSTRAP_TOKEN: v.HEADGATE_BOOTSTRAP_TOKEN.optional(),
  ...oidcShape,
};

const gatewayShape = {
  ...common,
  HEADGATE_HOST: v.HEADGATE_HOST.default("0.0.0.0"),
  HEADGATE_GATEWAY_PORT: v.HEADGATE_GATEWAY_PORT,
  HEADGATE_GATEWAY_ID: v.HEADGATE_GATEWAY_ID.optional(),
  HEADGATE_UPSTREAM: v.HEADGATE_UPSTREAM,
  HEADGATE_CONTROL_URL: v.HEADGATE_CONTROL_URL.default("http://127.0.0.1:3000"),
  HEADGATE_GATEWAY_TOKEN: v.HEADGATE_GATEWAY_TOKEN.optional(),
  HEADGATE_CHECK_DEADLINE_MS: v.HEADGATE_CHECK_DEADLINE_MS.default(10),
  HEADGATE_LEASE_ABOVE: v.HEADGATE_LEASE_ABOVE.default(200),
  HEADGATE_TRUST_PROXY: v.HEADGATE_TRUST_PROXY.default({ kind: "none" }),
  HEADGATE_STOP_ENFORCING: v.HEADGATE_STOP_ENFORCING.optional(),
};

/** What `npm start` decides by; the processes that it starts parse their own. */
const startShape = {
  ...gatewayShape,
  ...consoleShape,
  DATABASE_URL: v.DATABASE_URL.optional(),
  HEADGATE_GATEWAY_PORT: v.HEADGATE_GATEWAY_PORT.optional(),
  HEADGATE_GATEWAY_PORTS: v.HEADGATE_GATEWAY_PORTS.default([8081, 8082]),
  HEADGATE_UPSTREAM: v.HEADGATE_UPSTREAM.optional(),
  HEADGATE_CONTROL_URL: v.HEADGATE_CONTROL_URL.optional(),
  HEADGATE_TOKEN: v.HEADGATE_TOKEN.optional(),
};

export function loadConsoleConfig(env: Environment): ConsoleConfig {
  const values = read(consoleShape, env, [...redisProblems(env), ...oidcProblems(env)]);
  const made = ensureSecrets(values.HEADGATE_DATA);
  return {
    ...commonOf(values, made.secret),
    databaseUrl: values.DATABASE_URL,
    webhookAllowPrivate: values.HEADGATE_WEBHOOK_ALLOW_PRIVATE === "true",
    port: values.PORT,
    host: values.HEADGATE_HOST,
    publicUrl: values.HEADGATE_PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    gatewayToken: values.HEADGATE_GATEWAY_TOKEN ?? made.gatewayToken,
    admin: {
      email: values.HEADGATE_ADMIN_EMAIL,
      password: values.HEADGATE_ADMIN_PASSWORD ?? made.adminPassword,
    },
    ...(values.HEADGATE_BOOTSTRAP_TOKEN && { bootstrapToken: values.HEADGATE_BOOTSTRAP_TOKEN }),
    ...oidcOf(values),
  };
}

export function loadWorkerConfig(env: Environment): WorkerConfig {
  const values = read(workerShape, env, redisProblems(env));
  const made = ensureSecrets(values.HEADGATE_DATA);
  return {
    ...commonOf(values, made.secret),
    databaseUrl: values.DATABASE_URL,
    webhookAllowPrivate: values.HEADGATE_WEBHOOK_ALLOW_PRIVATE === "true",
    ...(values.HEADGATE_PUBLIC_URL && { publicUrl: values.HEADGATE_PUBLIC_URL }),
  };
}

/** A gateway makes no secrets: on a machine of its own they would fit to no console. */
export function loadGatewayConfig(env: Environment): GatewayConfig {
  const dataDir = variables.HEADGATE_DATA.safeParse(env.HEADGATE_DATA || ".headgate").data ?? ".";
  const found = findSecrets(dataDir);
  const absent = (["HEADGATE_SECRET", "HEADGATE_GATEWAY_TOKEN"] as const).filter(
    (name) => !env[name] && !found?.[name === "HEADGATE_SECRET" ? "secret" : "gatewayToken"],
  );
  const values = read(gatewayShape, env, [
    ...redisProblems(env),
    ...absent.map((path) => ({
      path,
      message: `must be set to the console's, as ${secretsFile(dataDir)} does not hold it`,
    })),
  ]);
  return {
    ...commonOf(values, found?.secret ?? ""),
    id: values.HEADGATE_GATEWAY_ID ?? `${hostLabel()}-${values.HEADGATE_GATEWAY_PORT}`,
    host: values.HEADGATE_HOST,
    port: values.HEADGATE_GATEWAY_PORT,
    adminPort: values.HEADGATE_GATEWAY_PORT + 1000,
    upstream: values.HEADGATE_UPSTREAM,
    controlUrl: values.HEADGATE_CONTROL_URL,
    gatewayToken: values.HEADGATE_GATEWAY_TOKEN ?? found?.gatewayToken ?? "",
    checkDeadlineMs: values.HEADGATE_CHECK_DEADLINE_MS,
    leaseAbovePerSecond: values.HEADGATE_LEASE_ABOVE,
    trustProxy: values.HEADGATE_TRUST_PROXY,
    ...(values.HEADGATE_STOP_ENFORCING && { stopEnforcing: values.HEADGATE_STOP_ENFORCING }),
  };
}

/** Of `headgate admin reset`, which needs neither secrets nor Redis. */
export function loadAdminResetConfig(env: Environment): {
  databaseUrl: string;
  publicUrl: string;
  adminEmail: string;
} {
  const { PORT, HEADGATE_PUBLIC_URL, DATABASE_URL, HEADGATE_ADMIN_EMAIL } = consoleShape;
  const values = read({ PORT, HEADGATE_PUBLIC_URL, DATABASE_URL, HEADGATE_ADMIN_EMAIL }, env);
  return {
    databaseUrl: values.DATABASE_URL,
    publicUrl: values.HEADGATE_PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    adminEmail: values.HEADGATE_ADMIN_EMAIL,
  };
}

/** Of `headgate doctor --direct`, which reads nothing that a secret protects. */
export function loadDoctorConfig(
  env: Environment,
): Pick<WorkerConfig, "environment" | "databaseUrl" | "redis"> {
  const { HEADGATE_ENVIRONMENT, DATABASE_URL } = workerShape;
  const shape = { HEADGATE_ENVIRONMENT, DATABASE_URL, ...redisShape };
  const values = read(shape, env, redisProblems(env));
  return {
    environment: values.HEADGATE_ENVIRONMENT,
    databaseUrl: values.DATABASE_URL,
    redis: redisOf(values),
  };
}

export function loadCliConfig(env: Environment): CliConfig {
  const values = read(
    {
      PORT: v.PORT.default(3000),
      HEADGATE_CONTROL_URL: v.HEADGATE_CONTROL_URL.optional(),
      HEADGATE_TOKEN: v.HEADGATE_TOKEN.optional(),
    },
    env,
  );
  return {
    controlUrl: values.HEADGATE_CONTROL_URL ?? `http://127.0.0.1:${values.PORT}`,
    ...(values.HEADGATE_TOKEN && { token: values.HEADGATE_TOKEN }),
  };
}

/** Checks every variable of every process at once, for `npm start`, before anything is started. */
export function loadStartConfig(env: Environment) {
  const ports = variables.HEADGATE_GATEWAY_PORTS.safeParse(
    env.HEADGATE_GATEWAY_PORTS || "8081,8082",
  );
  const port = variables.PORT.safeParse(env.PORT || "3000");
  const clash =
    ports.success &&
    port.success &&
    ports.data.some((p) => p === port.data || p + 1000 === port.data);
  return read(startShape, env, [
    ...(clash
      ? [
          {
            path: "PORT",
            message: `must differ from the gateways' ports and admin ports, got ${port.data}`,
          },
        ]
      : []),
    ...oidcProblems(env),
    ...(env.REDIS_URL || env.REDIS_CLUSTER || env.REDIS_URLS ? redisProblems(env) : []),
  ]);
}

type CommonValues = z.output<z.ZodObject<typeof common>>;

function commonOf(values: CommonValues, madeSecret: string): Common {
  return {
    environment: values.HEADGATE_ENVIRONMENT,
    dataDir: values.HEADGATE_DATA,
    secrets: values.HEADGATE_SECRET ?? [madeSecret],
    redis: redisOf(values),
    logLevel: values.HEADGATE_LOG_LEVEL,
  };
}

/** The machine's name in the characters of a gateway id. */
function hostLabel(): string {
  const label = hostname()
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "");
  return label.slice(0, 80) || "gateway";
}
