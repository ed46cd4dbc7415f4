import { readFileSync } from "node:fs";
import type { z } from "zod";
import { AppError, type FieldError } from "../core/errors";
import type { Environment } from "./read";
import type { RedisNode } from "./redis-url";
import { variables } from "./variables";

export type RedisConfig = {
  /** Where counters live. */
  state:
    | { kind: "single"; node: RedisNode }
    | { kind: "ring"; nodes: [RedisNode, ...RedisNode[]] }
    | { kind: "cluster"; nodes: RedisNode[] };
  /** Where snapshot, directory and streams live: the state's (first) server unless set apart. */
  control: { kind: "single"; node: RedisNode };
  /** PEM of the authority that signed the servers' certificates, where it is not a public one. */
  ca?: string;
};

export const redisShape = {
  REDIS_URL: variables.REDIS_URL.optional(),
  REDIS_CLUSTER: variables.REDIS_CLUSTER.optional(),
  REDIS_URLS: variables.REDIS_URLS.optional(),
  REDIS_CONTROL_URL: variables.REDIS_CONTROL_URL.optional(),
  REDIS_CA_FILE: variables.REDIS_CA_FILE.optional(),
};

export function redisProblems(env: Environment): FieldError[] {
  const given = ["REDIS_URL", "REDIS_CLUSTER", "REDIS_URLS"].filter((name) => env[name]);
  const problems: FieldError[] = [];
  if (given.length === 0) {
    problems.push({ path: "REDIS_URL", message: "must be set (or REDIS_CLUSTER, or REDIS_URLS)" });
  } else if (given.length > 1) {
    problems.push({ path: given.join(", "), message: "exclude each other: set one" });
  }
  if (env.REDIS_CLUSTER && !env.REDIS_CONTROL_URL) {
    problems.push({
      path: "REDIS_CONTROL_URL",
      message: "must be set with REDIS_CLUSTER: snapshot and streams need one Redis",
    });
  }
  if (env.REDIS_CA_FILE && readCa(env.REDIS_CA_FILE) === undefined) {
    problems.push({
      path: "REDIS_CA_FILE",
      message: `must be a readable PEM file, got ${env.REDIS_CA_FILE}`,
    });
  }
  return problems;
}

function readCa(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    return text.includes("-----BEGIN CERTIFICATE-----") ? text : undefined;
  } catch {
    return undefined;
  }
}

export function redisOf(values: z.output<z.ZodObject<typeof redisShape>>): RedisConfig {
  const ca = values.REDIS_CA_FILE === undefined ? undefined : readCa(values.REDIS_CA_FILE);
  const state = stateOf(values);
  const node = values.REDIS_CONTROL_URL ?? firstNode(state);
  const control = { kind: "single" as const, node };
  return { state, control, ...(ca === undefined ? {} : { ca }) };
}

function stateOf(values: z.output<z.ZodObject<typeof redisShape>>): RedisConfig["state"] {
  if (values.REDIS_CLUSTER !== undefined) return { kind: "cluster", nodes: values.REDIS_CLUSTER };
  if (values.REDIS_URLS !== undefined) return { kind: "ring", nodes: values.REDIS_URLS };
  if (values.REDIS_URL !== undefined) return { kind: "single", node: values.REDIS_URL };
  throw new AppError("internal", "none of REDIS_URL, REDIS_CLUSTER and REDIS_URLS is set");
}

function firstNode(state: RedisConfig["state"]): RedisNode {
  if (state.kind === "single") return state.node;
  if (state.kind === "ring") return state.nodes[0];
  throw new AppError("internal", "REDIS_CONTROL_URL was not checked");
}
