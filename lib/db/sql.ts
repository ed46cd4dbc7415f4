import { Prisma } from "./generated/client";

/** Parts of a statement, values and all: `sql` nests in `sql` and in `$queryRaw`. */
export const { sql, empty } = Prisma;
export type Sql = Prisma.Sql;
