import type { DirectoryEntry, DirectoryPosition } from "@/lib/core/directory";
import { AppError } from "@/lib/core/errors";
import type { Tx } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { jsonColumn } from "@/lib/db/json";
import { enqueue } from "@/lib/db/outbox";

/**
 * One step of the directory's sequence, in the transaction of what it tells of. Takes the installation's lock,
 * so the sequence has no gap: call it before locking anything that a publish locks.
 */
export async function changeDirectory(
  tx: Tx,
  entries: readonly DirectoryEntry[],
): Promise<DirectoryPosition> {
  const installation = await lockInstallation(tx);
  if (installation === null)
    throw new AppError("unavailable", "Headgate is not set up yet: run the seed first");
  const position = { epoch: installation.epoch, seq: installation.directorySeq + 1 };
  await tx.installation.update({ where: { id: 1 }, data: { directorySeq: position.seq } });
  await tx.directoryChange.create({ data: { ...position, entries: jsonColumn(entries) } });
  await enqueue(tx, { kind: "directory", ...position });
  return position;
}
