import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { DirectoryDelta } from "../core/directory";
import { createLog } from "../log";
import { entriesIn, indexOf } from "../testing/directory";
import type { BootFolder } from "./boot-folder";
import { directoryFile } from "./directory-file";
import { createDirectorySaver } from "./directory-saver";

const log = createLog({ name: "test", level: "silent" });
const customer = (id: string, plan = "free") => ({ type: "customer", id, plan }) as const;
const keyOf = (i: number) => {
  // Evenly by chance, so that keys crowd here and there as they do in life.
  const hash = createHash("sha256").update(String(i)).digest("hex");
  return { type: "key", hash, keyId: "11112222", id: `k${i}`, customer: `c${i % 7}` } as const;
};

/** A disk with which something happens at each piece. */
function slowDisk() {
  const disk = { text: "", isFull: false, writes: 0, onPiece: () => {} };
  const gate = async () => {
    disk.onPiece();
    await new Promise((resolve) => setImmediate(resolve));
    if (disk.isFull) throw new Error("ENOSPC: no space left on device");
  };
  const boot: BootFolder = {
    read: async () => Buffer.from(disk.text),
    stream: async () =>
      (async function* () {
        yield Buffer.from(disk.text);
      })(),
    write: async (_, bytes) => {
      disk.writes += 1;
      if (typeof bytes === "string" || bytes instanceof Uint8Array) throw new Error("pieces only");
      const pieces: Uint8Array[] = [];
      for (const piece of bytes) {
        pieces.push(piece);
        await gate();
      }
      disk.text = Buffer.concat(pieces).toString();
    },
    append: async (_, text) => {
      await gate();
      disk.text += text;
    },
  };
  return { disk, file: directoryFile(boot, "test") };
}

test("what changes while a base is written is in the file behind it, whatever the base caught of it", async () => {
  const { disk, file } = slowDisk();
  const index = indexOf({ entries: Array.from({ length: 20_000 }, (_, i) => keyOf(i)) });
  let seq = 1;
  const saver = createDirectorySaver({
    file,
    current: () => ({
      head: {
        format: "headgate-directory/1",
        environment: "test",
        epoch: 1,
        seq,
        expected: index.expected(),
      },
      chunks: index.chunks(),
    }),
    log,
  });
  const change = (...entries: DirectoryDelta["entries"]) => {
    for (const entry of entries) index.apply(entry);
    seq += 1;
    saver.saveDeltas([{ epoch: 1, seq, entries }]);
  };
  let piece = 0;
  disk.onPiece = () => {
    if (piece >= 5) return;
    const removed = Array.from({ length: 20_000 }, (_, i) => i).filter((i) => i % 6 === piece);
    change(...removed.map((i) => ({ ...keyOf(i), removed: true as const })));
    change(keyOf(20_000 + piece), keyOf(piece), customer(`new-${piece}`));
    piece += 1;
  };
  saver.saveBase();
  await saver.settled();
  expect(disk.writes).toBe(1);
  const found = await file.read();
  if (found === null) throw new Error("the file is not whole");
  for (const delta of found.deltas) for (const entry of delta.entries) found.index.apply(entry);
  expect(found.head.seq + found.deltas.length).toBe(seq);
  const sorted = (from: typeof index) =>
    entriesIn(from)
      .map((entry) => JSON.stringify(entry))
      .sort();
  expect(sorted(found.index)).toEqual(sorted(index));
});

test("after a disk that was full the next change writes a base", async () => {
  const { disk, file } = slowDisk();
  disk.isFull = true;
  const index = indexOf({ entries: [customer("acme")] });
  let seq = 1;
  const head = { format: "headgate-directory/1", environment: "test", epoch: 1 } as const;
  const expected = { keys: 0, names: 0 };
  const current = () => ({ head: { ...head, seq, expected }, chunks: index.chunks() });
  const saver = createDirectorySaver({ file, current, log });
  saver.saveBase();
  await saver.settled();
  disk.isFull = false;
  seq = 2;
  saver.saveDeltas([{ epoch: 1, seq, entries: [customer("bolt")] }]);
  await saver.settled();
  expect((await file.read())?.head.seq).toBe(2);
});
