import type { DirectoryBase } from "@/lib/core/directory";
import { inSnapshot } from "@/lib/db/client";
import { directoryEntries } from "@/lib/db/directory";
import type { Control } from "./context";
import { getInstallation } from "./live-version";

/** The whole directory at one position of its sequence. */
export function directoryBase({
  db,
  clock,
}: Pick<Control, "db" | "clock">): Promise<DirectoryBase> {
  return inSnapshot(db, async (tx) => {
    const { environment, epoch, directorySeq } = await getInstallation(tx);
    const entries = await directoryEntries(tx, new Date(clock.nowMs()));
    return { environment, epoch, seq: directorySeq, entries };
  });
}
