import { PrismaPg } from "@prisma/adapter-pg";
import { databaseError } from "./errors";
import { PrismaClient } from "./generated/client";

export type DatabaseOptions = {
  url: string;
  /** Connections of this process; each open transaction holds one. */
  poolSize?: number;
};

const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** A publish waits for the ones before it, so both are longer than a pile of them takes. */
const TRANSACTION_WAIT_MS = 15_000;
const TRANSACTION_TIMEOUT_MS = 30_000;

/** Opens lazily: the first query connects. What Postgres says comes out as an AppError where a caller can act on it. */
export function connectDatabase({ url, poolSize = POOL_SIZE }: DatabaseOptions) {
  const adapter = new PrismaPg({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "headgate",
    // The adapter writes instants without an offset and drops the one it reads: right only in UTC.
    onConnect: (client) => client.query("SET TIME ZONE 'UTC'"),
  });
  return new PrismaClient({
    adapter,
    transactionOptions: { maxWait: TRANSACTION_WAIT_MS, timeout: TRANSACTION_TIMEOUT_MS },
  }).$extends({
    query: {
      async $allOperations({ args, query }) {
        try {
          return await query(args);
        } catch (error) {
          throw databaseError(error);
        }
      },
    },
  });
}

export type Database = ReturnType<typeof connectDatabase>;
/** What a transaction's function gets. */
export type Tx = Parameters<Parameters<Database["$transaction"]>[0]>[0];
/** Either: for reads that may run in a transaction or outside one. */
export type Reader = Database | Tx;

/** All or nothing, at READ COMMITTED: what must not interleave takes a row lock. */
export async function inTransaction<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  { timeoutMs = TRANSACTION_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<T> {
  try {
    return await db.$transaction((tx) => work(tx), {
      maxWait: TRANSACTION_WAIT_MS,
      timeout: timeoutMs,
    });
  } catch (error) {
    throw databaseError(error);
  }
}

/** The same database, but every transaction ends with `mark`: what marks a request is there if its effect is. */
export function withMark(db: Database, mark: (tx: Tx) => Promise<void>): Database {
  const marked: Database["$transaction"] = (async (work: unknown, options?: object) => {
    if (typeof work !== "function") throw new Error("a marked transaction takes a function");
    return db.$transaction(async (tx) => {
      const made: unknown = await work(tx);
      await mark(tx);
      return made;
    }, options);
  }) as Database["$transaction"];
  return new Proxy(db, {
    get: (target, name) => (name === "$transaction" ? marked : Reflect.get(target, name)),
  });
}

/** Every read sees one moment of the database. */
export async function inSnapshot<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  { timeoutMs = TRANSACTION_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<T> {
  try {
    return await db.$transaction((tx) => work(tx), {
      isolationLevel: "RepeatableRead",
      maxWait: TRANSACTION_WAIT_MS,
      timeout: timeoutMs,
    });
  } catch (error) {
    throw databaseError(error);
  }
}
