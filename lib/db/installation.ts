import type { Reader, Tx } from "./client";
import type { Installation } from "./generated/client";

export type { Installation };

/** Null before the first start. */
export function findInstallation(reader: Reader): Promise<Installation | null> {
  return reader.installation.findUnique({ where: { id: 1 } });
}

/** Takes the one lock that orders publishes and directory changes; held to the end of the transaction. */
export async function lockInstallation(tx: Tx): Promise<Installation | null> {
  await tx.$queryRaw`SELECT id FROM installation WHERE id = 1 FOR UPDATE`;
  // A statement of its own: it sees what the holder before us committed.
  return findInstallation(tx);
}

/** Makes the row unless somebody else did; true for the one who made it. */
export async function insertInstallation(
  tx: Tx,
  row: Pick<Installation, "environment" | "epoch" | "demo">,
): Promise<boolean> {
  const { count } = await tx.installation.createMany({
    data: [{ id: 1, ...row }],
    skipDuplicates: true,
  });
  return count === 1;
}
