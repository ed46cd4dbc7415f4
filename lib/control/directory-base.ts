import type { DirectoryHead } from "@/lib/core/directory";
import { inSnapshot } from "@/lib/db/client";
import { directoryChunks, directorySize } from "@/lib/db/directory";
import type { Control } from "./context";
import { getInstallation } from "./live-version";

/** Two million keys take seconds; a slow reader must not hold a snapshot for hours. */
const READ_TIMEOUT_MS = 600_000;

/** Hands over the whole directory at one position of its sequence, in chunks; all of them are of one snapshot. */
export function withDirectoryBase<T>(
  { db, clock }: Pick<Control, "db" | "clock">,
  use: (head: DirectoryHead, chunks: AsyncGenerator<Uint8Array>) => Promise<T>,
): Promise<T> {
  return inSnapshot(
    db,
    async (tx) => {
      const { environment, epoch, directorySeq } = await getInstallation(tx);
      const expected = await directorySize(tx);
      const format = "headgate-directory/1";
      const head: DirectoryHead = { format, environment, epoch, seq: directorySeq, expected };
      return use(head, directoryChunks(tx, new Date(clock.nowMs())));
    },
    { timeoutMs: READ_TIMEOUT_MS },
  );
}
