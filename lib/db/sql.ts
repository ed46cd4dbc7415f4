import { Prisma } from "./generated/client";

/** Parts of a statement, values and all: `sql` nests in `sql` and in `$queryRaw`. `raw` is for text of our own only. */
export const { sql, empty, join, raw } = Prisma;
export type Sql = Prisma.Sql;
