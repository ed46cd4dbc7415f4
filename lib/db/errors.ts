import { AppError } from "@/lib/core/errors";
import { Prisma } from "./generated/client";
import { sqlState } from "./sql-state";

// P1xxx: the server cannot be reached or used. P2024, P2028: no connection or transaction in time. P2037: too many.
const UNAVAILABLE = /^(P1\d{3}|P2024|P2028|P2037)$/;
const SOCKET =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|timeout exceeded|Connection terminated|terminating connection|the database system is/;

/** SQLSTATE of values that Postgres cannot hold, and what a caller is told. */
const REFUSED: Record<string, string> = {
  "22003": "a number is larger than the database can hold",
  "22021": "a text has a character that the database cannot hold (NUL)",
  "22P02": "a text has a character that the database cannot hold (half a surrogate pair)",
  "22P05": "a text has a character that the database cannot hold (NUL)",
};

/**
 * An outage as `unavailable`, a value that cannot be held as `invalid`, everything else as it is: a caller that
 * expects a code looks for it.
 */
export function databaseError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const refused = REFUSED[sqlState(error) ?? ""];
  if (refused !== undefined) return new AppError("invalid", refused, { cause: error });
  const code =
    error instanceof Prisma.PrismaClientKnownRequestError
      ? error.code
      : error instanceof Prisma.PrismaClientInitializationError
        ? (error.errorCode ?? "P1001")
        : "";
  if (!UNAVAILABLE.test(code) && !SOCKET.test(error.message)) return error;
  return new AppError("unavailable", "Postgres does not answer: try again in a moment", {
    cause: error,
  });
}
