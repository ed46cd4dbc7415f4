import { z } from "zod";
import type { LogLevel } from "../log";
import { type Environment, read } from "./read";
import { findSecrets, secretsFile } from "./secrets";
import { variables } from "./variables";

export type TrafficConfig = {
  gateways: URL[];
  /** The demo's keys are made from the first. */
  secrets: [string, ...string[]];
  logLevel: LogLevel;
};

/** For the demo's traffic, which `npm start` tells where its gateways are. */
export function loadTrafficConfig(env: Environment): TrafficConfig {
  const dataDir = variables.HEADGATE_DATA.safeParse(env.HEADGATE_DATA || ".headgate").data ?? ".";
  const made = findSecrets(dataDir)?.secret;
  const values = read(
    {
      HEADGATE_GATEWAY_URLS: z
        .string({ error: "must be set to the gateways' addresses, comma separated" })
        .transform((text) => text.split(",").map((entry) => entry.trim()))
        .pipe(z.array(variables.HEADGATE_CONTROL_URL).min(1).max(16)),
      HEADGATE_SECRET: variables.HEADGATE_SECRET.optional(),
      HEADGATE_LOG_LEVEL: variables.HEADGATE_LOG_LEVEL.default("info"),
    },
    env,
    env.HEADGATE_SECRET || made
      ? []
      : [
          {
            path: "HEADGATE_SECRET",
            message: `must be set, as ${secretsFile(dataDir)} does not hold it`,
          },
        ],
  );
  return {
    gateways: values.HEADGATE_GATEWAY_URLS.map((text) => new URL(text)),
    secrets: values.HEADGATE_SECRET ?? [made ?? ""],
    logLevel: values.HEADGATE_LOG_LEVEL,
  };
}
