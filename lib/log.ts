import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

type Options = { name: string; level?: LogLevel; destination?: DestinationStream };

/** JSON lines with ISO times. error: a person must act; warn: degraded, heals itself; info: lifecycle and publishes. */
export function createLog({ name, level = "info", destination }: Options): Log {
  const options = {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
    redact: {
      paths: ["password", "token", "key", "authorization", "cookie"].flatMap((field) => [
        field,
        `*.${field}`,
        `*.headers.${field}`,
      ]),
      censor: "(hidden)",
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
