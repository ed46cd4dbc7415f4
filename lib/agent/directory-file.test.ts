import { expect, test } from "vitest";
import type { DirectoryDelta } from "../core/directory";
import { linesOf } from "../core/directory-lines";
import { entriesIn, headOf, type TestDirectory } from "../testing/directory";
import type { BootFolder } from "./boot-folder";
import { directoryFile } from "./directory-file";

/** A disk that can be full, and that reads in small pieces: what was begun is there, the rest is not. */
function diskOf() {
  const disk = { text: "", isFull: false };
  const full = () => Promise.reject(new Error("ENOSPC: no space left on device"));
  const boot: BootFolder = {
    read: async () => (disk.text === "" ? null : Buffer.from(disk.text)),
    stream: async () => (disk.text === "" ? null : pieces(disk.text)),
    write: async (_, bytes) => {
      if (disk.isFull) return full();
      const isWhole = typeof bytes === "string" || bytes instanceof Uint8Array;
      disk.text = isWhole ? bytes.toString() : Buffer.concat([...bytes]).toString();
    },
    append: async (_, text) => {
      disk.text += disk.isFull ? text.slice(0, 10) : text;
      if (disk.isFull) return full();
    },
  };
  const file = directoryFile(boot, "test");
  const write = (base: TestDirectory) => file.writeBase(headOf(base), linesOf(base.entries, 40));
  return { disk, file, write };
}

async function* pieces(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += 7) yield Buffer.from(text.slice(at, at + 7));
}

const entries: TestDirectory["entries"] = [
  { type: "customer", id: "acme", plan: "free" },
  { type: "key", hash: "ab".repeat(12), keyId: "", id: "k1", customer: "acme" },
  { type: "key", hash: "cd".repeat(12), keyId: "", id: "k1", customer: "acme", expiresAtMs: 9 },
  {
    type: "override",
    id: "o1",
    client: "key:k1",
    rule: "r",
    limit: { rate: 5, per: "1m", burst: 5 },
    expiresAtMs: 1_000,
  },
];
const baseOf = (seq: number) => ({ environment: "test", epoch: 1, seq, entries });
const deltaOf = (seq: number): DirectoryDelta => ({
  epoch: 1,
  seq,
  entries: [{ type: "customer", id: `customer-${seq}`, plan: "free" }],
});

test("a base and what was appended are read again; what is not ours is not", async () => {
  const { disk, file, write } = diskOf();
  expect(await file.read()).toBeNull();
  await write(baseOf(1));
  expect(await file.append([deltaOf(2)])).toBe(true);
  expect(await file.append([deltaOf(3), deltaOf(4)])).toBe(true);
  const found = await file.read();
  expect(found?.head.seq).toBe(1);
  expect(found && entriesIn(found.index)).toEqual(entries);
  expect(found?.deltas.map(({ seq }) => seq)).toEqual([2, 3, 4]);
  disk.text += '{"epoch":1,"seq":5,"ent';
  expect((await file.read())?.deltas).toHaveLength(3);
  await write({ ...baseOf(9), environment: "production" });
  expect(await file.read()).toBeNull();
});

test("a base that is cut off or damaged anywhere is not read at all", async () => {
  const { disk, file, write } = diskOf();
  await write(baseOf(1));
  const whole = disk.text;
  for (let at = 1; at < whole.length; at += 1) {
    disk.text = whole.slice(0, at);
    expect(await file.read(), `cut at ${at}`).toBeNull();
  }
  const base = whole.indexOf("\n") + 1;
  for (let at = base; at < whole.lastIndexOf("\n", whole.length - 2); at += 1) {
    disk.text = `${whole.slice(0, at)}${whole[at] === "a" ? "b" : "a"}${whole.slice(at + 1)}`;
    expect(await file.read(), `damaged at ${at}`).toBeNull();
  }
});

test("nothing is appended to a file of which this process did not write the base", async () => {
  expect(await diskOf().file.append([deltaOf(2)])).toBe(false);
});

test("after a delta that was cut off by a full disk a base is wanted, not a line behind it", async () => {
  const { disk, file, write } = diskOf();
  await write(baseOf(1));
  disk.isFull = true;
  await expect(file.append([deltaOf(2)])).rejects.toThrow("ENOSPC");
  disk.isFull = false;
  expect(await file.append([deltaOf(3)])).toBe(false);
});

test("after a base that could not be written nothing is appended to the one before", async () => {
  const { disk, file, write } = diskOf();
  await write(baseOf(1));
  disk.isFull = true;
  await expect(write(baseOf(7))).rejects.toThrow("ENOSPC");
  disk.isFull = false;
  expect(await file.append([deltaOf(8)])).toBe(false);
});
