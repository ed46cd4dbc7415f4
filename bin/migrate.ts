import { fileURLToPath } from "node:url";
import { migrate } from "../lib/db/migrate";

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) {
  console.error("DATABASE_URL must be set: postgresql://[user[:password]@]host[:port]/database");
  process.exit(2);
}
try {
  const folder = fileURLToPath(new URL("../prisma/migrations", import.meta.url));
  const applied = await migrate({ databaseUrl, folder });
  console.log(
    applied.length === 0 ? "the database is up to date" : `applied ${applied.join(", ")}`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
