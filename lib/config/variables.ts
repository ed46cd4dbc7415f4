import { resolve } from "node:path";
import { z } from "zod";
import { ROLES, type Role } from "../core/access";
import { parseCidr } from "../core/ip";
import { shown } from "../core/parse";
import { readStoppedRules } from "../core/stop-enforcing";
import { parseRedisUrl, REDIS_ALLOWED, type RedisNode, splitUrls } from "./redis-url";

export type TrustProxy =
  | { kind: "none" }
  | { kind: "hops"; count: number }
  | { kind: "networks"; cidrs: string[] };

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const GATEWAY_PORT_MAX = 64_535;

type Wrong = { wrong: string };
type Variable<T> = {
  /** Completes "must be …". */
  allowed: string;
  read(text: string): T | undefined | Wrong;
  /** How a refused value is shown; a secret is not. */
  show?(text: string): string;
};

function variable<T extends string | number | object>({
  allowed,
  read,
  show = shown,
}: Variable<T>) {
  return z.string({ error: `must be set to ${allowed}` }).transform((text, context): T => {
    const value = read(text);
    if (value !== undefined && !isWrong(value)) return value;
    const why = value === undefined ? `must be ${allowed}` : value.wrong;
    context.addIssue({ code: "custom", message: `${why}, got ${show(text)}` });
    return z.NEVER;
  });
}

function isWrong(value: unknown): value is Wrong {
  return typeof value === "object" && value !== null && "wrong" in value;
}

const port = variable({ allowed: "a port 1..65535", read: (text) => integer(text, 1, 65_535) });
const gatewayPort = variable({
  allowed: `a port 1..${GATEWAY_PORT_MAX} (its admin port is 1000 higher)`,
  read: (text) => integer(text, 1, GATEWAY_PORT_MAX),
});
const token = variable({
  allowed: "8..200 printable characters without spaces",
  read: (text) => (/^[\x21-\x7e]{8,200}$/.test(text) ? text : undefined),
  show: hidden,
});
const httpUrl = variable({
  allowed: "an address http://… or https://… without user, query and fragment",
  read: readHttpUrl,
  show: withoutCredentials,
});

/** Every variable of the product. `.optional()` and defaults are given where a process reads it. */
export const variables = {
  PORT: port,
  HEADGATE_HOST: variable({
    allowed: "an address to listen on, such as 127.0.0.1 or 0.0.0.0",
    read: (text) => (/^[0-9A-Za-z.:-]{1,253}$/.test(text) ? text : undefined),
  }),
  HEADGATE_PUBLIC_URL: httpUrl,
  HEADGATE_GATEWAY_PORTS: variable({
    allowed: `1..16 different ports 1..${GATEWAY_PORT_MAX}, such as 8081,8082 (an admin port is 1000 higher)`,
    read: readGatewayPorts,
  }),
  HEADGATE_GATEWAY_PORT: gatewayPort,
  HEADGATE_UPSTREAM: httpUrl,
  HEADGATE_DATA: variable({ allowed: "a folder", read: (text) => resolve(text) }),
  HEADGATE_ENVIRONMENT: variable({
    allowed: "1..32 characters of a-z, 0-9 and inner hyphens",
    read: (text) => (/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(text) ? text : undefined),
  }),
  HEADGATE_SECRET: variable({
    allowed:
      "one or more secrets of 16..200 characters, comma separated (the first signs, all verify)",
    read: readSecrets,
    show: hidden,
  }),
  DATABASE_URL: variable({
    allowed: "postgresql://[user[:password]@]host[:port]/database",
    read: (text) => (isPostgresUrl(text) ? text : undefined),
    show: withoutCredentials,
  }),
  REDIS_URL: variable({
    allowed: REDIS_ALLOWED,
    read: (text) => parseRedisUrl(text),
    show: withoutCredentials,
  }),
  REDIS_CLUSTER: variable({
    allowed: `some of the cluster's nodes, comma separated: ${REDIS_ALLOWED}`,
    read: (text) => readNodes(text, false),
    show: withoutCredentials,
  }),
  REDIS_URLS: variable({
    allowed: `named servers, comma separated: name=${REDIS_ALLOWED}`,
    read: (text) => readNodes(text, true),
    show: withoutCredentials,
  }),
  REDIS_CONTROL_URL: variable({
    allowed: REDIS_ALLOWED,
    read: (text) => parseRedisUrl(text, "control"),
    show: withoutCredentials,
  }),
  REDIS_CA_FILE: variable({ allowed: "a PEM file", read: (text) => resolve(text) }),
  HEADGATE_CONTROL_URL: httpUrl,
  HEADGATE_GATEWAY_TOKEN: token,
  HEADGATE_GATEWAY_ID: variable({
    allowed: "1..100 characters of A-Z, a-z, 0-9 and . _ -, the first a letter or digit",
    // It names a folder and a path segment.
    read: (text) => (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) ? text : undefined),
  }),
  HEADGATE_CHECK_DEADLINE_MS: variable({
    allowed: "whole milliseconds 1..1000",
    read: (text) => integer(text, 1, 1000),
  }),
  HEADGATE_LEASE_ABOVE: variable({
    allowed: "whole checks a second of one bucket, 1..1000000",
    read: (text) => integer(text, 1, 1_000_000),
  }),
  HEADGATE_TRUST_PROXY: variable({
    allowed:
      "CIDRs, comma separated (loopback stands for 127.0.0.0/8,::1), or a number of hops 0..16",
    read: readTrustProxy,
  }),
  HEADGATE_STOP_ENFORCING: variable({
    allowed: "all, or ids of rules, divided by commas (_deny and _flood for the lists)",
    read: (text) => {
      const { rules, wrong } = readStoppedRules(text);
      return rules.length > 0 && wrong.length === 0 ? text : undefined;
    },
  }),
  HEADGATE_WEBHOOK_ALLOW_PRIVATE: variable({
    allowed: "true or false",
    read: (text) => (text === "true" || text === "false" ? text : undefined),
  }),
  HEADGATE_ADMIN_EMAIL: variable({
    allowed: "an email address",
    read: (text) => (z.email().max(200).safeParse(text).success ? text.toLowerCase() : undefined),
  }),
  HEADGATE_ADMIN_PASSWORD: variable({
    allowed: "8..128 characters",
    read: (text) => (text.length >= 8 && text.length <= 128 ? text : undefined),
    show: hidden,
  }),
  HEADGATE_OIDC_ISSUER: httpUrl,
  HEADGATE_OIDC_CLIENT_ID: variable({
    allowed: "1..200 printable characters without spaces",
    read: (text) => (/^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined),
  }),
  HEADGATE_OIDC_CLIENT_SECRET: variable({
    allowed: "1..500 printable characters without spaces",
    read: (text) => (/^[\x21-\x7e]{1,500}$/.test(text) ? text : undefined),
    show: hidden,
  }),
  HEADGATE_OIDC_NAME: variable({
    allowed: "1..40 characters",
    read: (text) => (/^[^\p{Cc}]{1,40}$/u.test(text) ? text.trim() || undefined : undefined),
  }),
  HEADGATE_OIDC_ROLE_CLAIM: variable({
    allowed: "the name of a claim, such as groups",
    read: (text) => (/^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined),
  }),
  HEADGATE_OIDC_ROLES: variable({
    allowed: `value=role pairs, comma separated, role one of ${ROLES.join(", ")}`,
    read: readRoles,
  }),
  HEADGATE_OIDC_DEFAULT_ROLE: variable({
    allowed: `none or one of ${ROLES.join(", ")}`,
    read: (text) => (["none", ...ROLES] as const).find((role) => role === text),
  }),
  HEADGATE_BOOTSTRAP_TOKEN: token,
  HEADGATE_TOKEN: token,
  HEADGATE_LOG_LEVEL: variable({
    allowed: `one of ${LOG_LEVELS.join(", ")}`,
    read: (text) => LOG_LEVELS.find((level) => level === text),
  }),
};

function integer(text: string, min: number, max: number): number | undefined {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function readGatewayPorts(text: string): number[] | Wrong | undefined {
  const ports = text.split(",").map((entry) => integer(entry.trim(), 1, GATEWAY_PORT_MAX));
  if (ports.length > 16 || !ports.every((entry) => entry !== undefined)) return undefined;
  const all = ports.flatMap((entry) => [entry, entry + 1000]);
  const twice = all.find((entry, i) => all.indexOf(entry) !== i);
  if (twice !== undefined)
    return { wrong: `uses port ${twice} twice (an admin port is 1000 higher)` };
  return ports;
}

function readRoles(text: string): { value: string; role: Role }[] | Wrong | undefined {
  const pairs = text.split(",").map((entry) => {
    const at = entry.lastIndexOf("=");
    const role = ROLES.find((each) => each === entry.slice(at + 1).trim());
    const value = entry.slice(0, Math.max(0, at)).trim();
    return role === undefined || value === "" ? null : { value, role };
  });
  return pairs.every((pair) => pair !== null) ? pairs : undefined;
}

function readSecrets(text: string): [string, ...string[]] | undefined {
  const [first, ...more] = text.split(",").map((entry) => entry.trim());
  if (first === undefined) return undefined;
  const fits = [first, ...more].every((entry) => entry.length >= 16 && entry.length <= 200);
  return fits ? [first, ...more] : undefined;
}

function readNodes(text: string, named: boolean): [RedisNode, ...RedisNode[]] | Wrong {
  const nodes: RedisNode[] = [];
  for (const entry of splitUrls(text)) {
    const name = named ? /^([A-Za-z0-9_.-]{1,40})=/.exec(entry)?.[1] : `node-${nodes.length + 1}`;
    const at = `entry ${nodes.length + 1}`;
    if (name === undefined) return { wrong: `has no name before its ${at} (name=redis://…)` };
    if (nodes.some((node) => node.name === name)) return { wrong: `has the name ${name} twice` };
    const node = parseRedisUrl(named ? entry.slice(name.length + 1) : entry, name);
    if ("wrong" in node) return { wrong: `${node.wrong} in its ${at}` };
    if (!named && node.database !== 0)
      return { wrong: `names a database in its ${at}, a cluster has only 0` };
    nodes.push(node);
  }
  const [first, ...more] = nodes;
  return first === undefined ? { wrong: "holds no server" } : [first, ...more];
}

function readTrustProxy(text: string): TrustProxy | undefined {
  const hops = integer(text.trim(), 0, 16);
  if (hops !== undefined) return hops === 0 ? { kind: "none" } : { kind: "hops", count: hops };
  const cidrs = text
    .split(",")
    .map((entry) => entry.trim())
    .flatMap((entry) => (entry === "loopback" ? ["127.0.0.0/8", "::1/128"] : [entry]));
  return cidrs.every((cidr) => parseCidr(cidr) !== null) ? { kind: "networks", cidrs } : undefined;
}

function readHttpUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const bare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!["http:", "https:"].includes(url.protocol) || !bare) return undefined;
  return url.href.replace(/\/$/, "");
}

function isPostgresUrl(text: string): boolean {
  return (
    /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1
  );
}

function hidden(text: string): string {
  return `${text.length} characters (not shown)`;
}

/** Masks all that can hold a password: before the last `@` and after `?`. */
function withoutCredentials(text: string): string {
  return shown(
    splitUrls(text)
      .map((entry) => entry.replace(/^(.*?:\/\/)?.*@/s, "$1***@").replace(/\?.*$/s, "?***"))
      .join(","),
  );
}
