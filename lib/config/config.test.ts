import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { AppError } from "../core/errors";
import {
  loadCliConfig,
  loadConsoleConfig,
  loadGatewayConfig,
  loadStartConfig,
  loadWorkerConfig,
} from "./config";
import { unknownVariables } from "./read";

const folder = mkdtempSync(join(tmpdir(), "headgate-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

const base = {
  HEADGATE_DATA: join(folder, "base"),
  HEADGATE_SECRET: "0123456789abcdef",
  HEADGATE_GATEWAY_TOKEN: "gateway-token",
  DATABASE_URL: "postgresql://u:p@127.0.0.1:5432/headgate",
  REDIS_URL: "redis://127.0.0.1:6379",
  HEADGATE_GATEWAY_PORT: "8081",
  HEADGATE_UPSTREAM: "http://127.0.0.1:9000/",
};

describe("each process gets its variables, and defaults for the rest", () => {
  test("console", () => {
    const config = loadConsoleConfig({
      ...base,
      PORT: "4000",
      HEADGATE_BOOTSTRAP_TOKEN: "bootstrap-1",
    });
    expect(config).toMatchObject({
      port: 4000,
      host: "127.0.0.1",
      publicUrl: "http://localhost:4000",
      environment: "default",
      databaseUrl: base.DATABASE_URL,
      gatewayToken: "gateway-token",
      admin: { email: "admin@headgate.local" },
      bootstrapToken: "bootstrap-1",
      secrets: ["0123456789abcdef"],
    });
    expect(config.admin.password).toMatch(/^[a-z2-9-]{20,}$/);
  });

  test("worker", () => {
    expect(loadWorkerConfig({ ...base, HEADGATE_LOG_LEVEL: "warn" })).toMatchObject({
      databaseUrl: base.DATABASE_URL,
      logLevel: "warn",
    });
  });

  test("gateway", () => {
    expect(loadGatewayConfig(base)).toMatchObject({
      id: `${hostname()}-8081`,
      port: 8081,
      adminPort: 9081,
      upstream: "http://127.0.0.1:9000",
      controlUrl: "http://127.0.0.1:3000",
      checkDeadlineMs: 10,
      leaseAbovePerSecond: 200,
      trustProxy: { kind: "none" },
    });
  });

  test("command line", () => {
    expect(loadCliConfig({})).toEqual({ controlUrl: "http://127.0.0.1:3000" });
    expect(loadCliConfig({ PORT: "4000", HEADGATE_TOKEN: "12345678" })).toEqual({
      controlUrl: "http://127.0.0.1:4000",
      token: "12345678",
    });
  });

  test("an empty value counts as not set", () => {
    expect(
      loadGatewayConfig({ ...base, HEADGATE_GATEWAY_ID: "", HEADGATE_DATA: base.HEADGATE_DATA }).id,
    ).toBe(`${hostname()}-8081`);
  });
});

describe("good values are read", () => {
  test.each([
    [
      "HEADGATE_TRUST_PROXY",
      "loopback",
      "trustProxy",
      { kind: "networks", cidrs: ["127.0.0.0/8", "::1/128"] },
    ],
    [
      "HEADGATE_TRUST_PROXY",
      "10.0.0.0/8, loopback, 2001:db8::1",
      "trustProxy",
      { kind: "networks", cidrs: ["10.0.0.0/8", "127.0.0.0/8", "::1/128", "2001:db8::1"] },
    ],
    ["HEADGATE_TRUST_PROXY", "2", "trustProxy", { kind: "hops", count: 2 }],
    ["HEADGATE_TRUST_PROXY", "0", "trustProxy", { kind: "none" }],
    [
      "HEADGATE_SECRET",
      "first-secret-1234, second-secret-123",
      "secrets",
      ["first-secret-1234", "second-secret-123"],
    ],
    ["HEADGATE_CHECK_DEADLINE_MS", "25", "checkDeadlineMs", 25],
    ["HEADGATE_LEASE_ABOVE", "1000", "leaseAbovePerSecond", 1_000],
    [
      "HEADGATE_UPSTREAM",
      "https://api.example.com/base/",
      "upstream",
      "https://api.example.com/base",
    ],
  ])("%s=%s", (name, text, field, expected) => {
    expect(loadGatewayConfig({ ...base, [name]: text })).toHaveProperty(field, expected);
  });
});

describe("bad values are refused with what was received and what is allowed", () => {
  test.each([
    ["PORT", "abc", 'PORT must be a port 1..65535, got "abc"'],
    ["PORT", "0", 'PORT must be a port 1..65535, got "0"'],
    ["PORT", "65536", 'PORT must be a port 1..65535, got "65536"'],
    ["PORT", "8081", "PORT must differ from the gateways' ports and admin ports, got 8081"],
    ["PORT", "9082", "PORT must differ from the gateways' ports and admin ports, got 9082"],
    [
      "HEADGATE_GATEWAY_PORTS",
      "8081,x",
      "HEADGATE_GATEWAY_PORTS must be 1..16 different ports 1..64535",
    ],
    ["HEADGATE_GATEWAY_PORTS", "8081,8081", "uses port 8081 twice"],
    ["HEADGATE_GATEWAY_PORTS", "8081,9081", "uses port 9081 twice"],
    ["HEADGATE_GATEWAY_PORTS", "64536", "must be 1..16 different ports 1..64535"],
    ["HEADGATE_UPSTREAM", "ftp://h", "must be an address http://… or https://…"],
    ["HEADGATE_UPSTREAM", "localhost:9000", "must be an address http://… or https://…"],
    ["HEADGATE_ENVIRONMENT", "Prod {1}", "must be 1..32 characters of a-z, 0-9 and inner hyphens"],
    ["HEADGATE_CHECK_DEADLINE_MS", "0", 'must be whole milliseconds 1..1000, got "0"'],
    ["HEADGATE_CHECK_DEADLINE_MS", "1.5", "must be whole milliseconds 1..1000"],
    ["HEADGATE_LEASE_ABOVE", "0", "must be whole checks a second of one bucket, 1..1000000"],
    ["HEADGATE_TRUST_PROXY", "10.0.0.0/33", "must be CIDRs, comma separated (loopback stands for"],
    ["HEADGATE_TRUST_PROXY", "17", "or a number of hops 0..16"],
    ["HEADGATE_ADMIN_EMAIL", "admin", 'must be an email address, got "admin"'],
    ["HEADGATE_LOG_LEVEL", "loud", "must be one of fatal, error, warn, info, debug, trace, silent"],
    ["HEADGATE_GATEWAY_ID", "a b", "must be 1..100 characters of A-Z"],
    ["DATABASE_URL", "mysql://h/db", "must be postgresql://"],
    ["DATABASE_URL", "postgresql://h", "must be postgresql://"],
    ["REDIS_URL", "redis+sentinel://h", "has the scheme redis+sentinel, which is not supported"],
    ["REDIS_URLS", "redis://h", "has no name before its entry 1"],
    ["REDIS_URLS", "a=redis://h,a=redis://i", "has the name a twice"],
    [
      "REDIS_CLUSTER",
      "redis://h,redis://i/3",
      "names a database in its entry 2, a cluster has only 0",
    ],
    ["REDIS_CLUSTER", "redis://h", "REDIS_URL, REDIS_CLUSTER exclude each other: set one"],
    ["REDIS_CLUSTER", "redis://h", "REDIS_CONTROL_URL must be set with REDIS_CLUSTER"],
    ["REDIS_CA_FILE", "/nowhere/ca.pem", "must be a readable PEM file"],
  ])("%s=%s", (name, text, message) => {
    expect(() => loadStartConfig({ ...base, [name]: text })).toThrow(message);
  });

  test.each([
    ["HEADGATE_SECRET", "hunter2"],
    ["HEADGATE_SECRET", "0123456789abcdef,hunter2"],
    ["HEADGATE_GATEWAY_TOKEN", "hunter2"],
    ["HEADGATE_BOOTSTRAP_TOKEN", "with space hunter2"],
    ["HEADGATE_ADMIN_PASSWORD", "hunter2"],
    ["HEADGATE_TOKEN", "hunter2"],
    ["REDIS_URL", "redis+sentinel://:hunter2@h"],
    ["REDIS_URL", "hunter2@h"],
    ["REDIS_URL", "redis://h?password=hunter2"],
    ["REDIS_URLS", "a=redis://:hunter2@h,b=x://:hunter2@i"],
    ["REDIS_CONTROL_URL", "redis://:hunter2@h/x"],
    ["DATABASE_URL", "mysql://u:hunter2@h/db"],
    ["HEADGATE_UPSTREAM", "http://u:hunter2@h"],
  ])("a refused %s does not show its secret", (name, text) => {
    let message = "";
    try {
      loadStartConfig({ ...base, [name]: text });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(name);
    expect(message).not.toContain("hunter2");
  });

  test("one error lists them all, also those that depend on each other", () => {
    const bad = {
      ...base,
      HEADGATE_DATA: join(folder, "none"),
      HEADGATE_SECRET: "",
      REDIS_URL: "",
      HEADGATE_UPSTREAM: undefined,
      HEADGATE_CHECK_DEADLINE_MS: "soon",
    };
    const error = thrown(() => loadGatewayConfig(bad));
    expect(error.errors.map(({ path }) => path).sort()).toEqual([
      "HEADGATE_CHECK_DEADLINE_MS",
      "HEADGATE_SECRET",
      "HEADGATE_UPSTREAM",
      "REDIS_URL",
    ]);
    expect(error.message).toMatch(/^4 variables are wrong:\n {2}/);
  });
});

test("npm start needs nothing, and asks for nothing that it starts itself", () => {
  expect(loadStartConfig({})).toMatchObject({ PORT: 3000, HEADGATE_GATEWAY_PORTS: [8081, 8082] });
});

test("a ring's control is its first server unless set apart", () => {
  const { REDIS_URL, ...rest } = base;
  const { redis } = loadWorkerConfig({ ...rest, REDIS_URLS: "a=redis://h1,b=redis://h2:7000/2" });
  expect(redis.state).toMatchObject({
    kind: "ring",
    nodes: [{ name: "a" }, { name: "b", database: 2 }],
  });
  expect(redis.control).toMatchObject({ kind: "single", node: { host: "h1" } });
  const apart = loadWorkerConfig({
    ...rest,
    REDIS_CLUSTER: REDIS_URL,
    REDIS_CONTROL_URL: "redis://h9",
  });
  expect(apart.redis).toMatchObject({
    state: { kind: "cluster" },
    control: { node: { host: "h9" } },
  });
});

test("a certificate authority is read from its file", () => {
  const file = join(folder, "ca.pem");
  writeFileSync(file, "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n");
  expect(loadWorkerConfig({ ...base, REDIS_CA_FILE: file }).redis.ca).toBe(
    readFileSync(file, "utf8"),
  );
});

test("a misspelt variable is found", () => {
  expect(unknownVariables({ HEADGATE_UPSTERAM: "x", HEADGATE_DATA: "y", HOME: "z" })).toEqual([
    "HEADGATE_UPSTERAM",
  ]);
});

function thrown(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
