import { AppError } from "@/lib/core/errors";
import { Prisma } from "./generated/client";

/** Postgres's own five characters for what went wrong in a raw query, such as `22P05`; null when it said none. */
export function sqlState(error: unknown): string | null {
  if (error instanceof AppError) return sqlState(error.cause);
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  const cause = property(property(error.meta, "driverAdapterError"), "cause");
  const code = property(cause, "originalCode") ?? property(error.meta, "code");
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** The values themselves were refused (a data exception, a null, a check): trying again gives the same. */
export function isDataError(error: unknown): boolean {
  return /^(22...|23502|23514)$/.test(sqlState(error) ?? "");
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value
    ? Reflect.get(value, name)
    : undefined;
}
