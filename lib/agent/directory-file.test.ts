import { expect, test } from "vitest";
import type { DirectoryDelta } from "../core/directory";
import type { BootFolder } from "./boot-folder";
import { directoryFile } from "./directory-file";

/** A disk that can be full: what was begun is there, the rest is not. */
function diskOf() {
  const disk = { text: "", isFull: false };
  const full = () => Promise.reject(new Error("ENOSPC: no space left on device"));
  const boot: BootFolder = {
    read: async () => (disk.text === "" ? null : Buffer.from(disk.text)),
    write: async (_, bytes) => {
      if (disk.isFull) return full();
      disk.text = bytes.toString();
    },
    append: async (_, text) => {
      disk.text += disk.isFull ? text.slice(0, 10) : text;
      if (disk.isFull) return full();
    },
  };
  return { disk, file: directoryFile(boot, "test") };
}

const baseOf = (seq: number) => ({ environment: "test", epoch: 1, seq, entries: [] });
const deltaOf = (seq: number): DirectoryDelta => ({
  epoch: 1,
  seq,
  entries: [{ type: "customer", id: `customer-${seq}`, plan: "free" }],
});

test("a base and what was appended are read again; what is not ours is not", async () => {
  const { disk, file } = diskOf();
  expect(await file.read()).toBeNull();
  await file.writeBase(baseOf(1));
  expect(await file.append([deltaOf(2)])).toBe(true);
  expect(await file.append([deltaOf(3), deltaOf(4)])).toBe(true);
  const found = await file.read();
  expect(found?.base.seq).toBe(1);
  expect(found?.deltas.map(({ seq }) => seq)).toEqual([2, 3, 4]);
  disk.text += '{"epoch":1,"seq":5,"ent';
  expect((await file.read())?.deltas).toHaveLength(3);
  const other = { ...baseOf(9), environment: "production" };
  await file.writeBase(other);
  expect(await file.read()).toBeNull();
});

test("nothing is appended to a file of which this process did not write the base", async () => {
  expect(await diskOf().file.append([deltaOf(2)])).toBe(false);
});

test("after a delta that was cut off by a full disk a base is wanted, not a line behind it", async () => {
  const { disk, file } = diskOf();
  await file.writeBase(baseOf(1));
  disk.isFull = true;
  await expect(file.append([deltaOf(2)])).rejects.toThrow("ENOSPC");
  disk.isFull = false;
  expect(await file.append([deltaOf(3)])).toBe(false);
});

test("after a base that could not be written nothing is appended to the one before", async () => {
  const { disk, file } = diskOf();
  await file.writeBase(baseOf(1));
  disk.isFull = true;
  await expect(file.writeBase(baseOf(7))).rejects.toThrow("ENOSPC");
  disk.isFull = false;
  expect(await file.append([deltaOf(8)])).toBe(false);
});
