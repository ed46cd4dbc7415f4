import { crc32 } from "node:zlib";
import type { Redis } from "ioredis";
import { createDirectoryIndex, type DirectoryIndex } from "../agent/directory-index";
import { loadDocument } from "../agent/load-directory";
import { type Ctx, getDirectoryBase } from "../control";
import type { DirectoryEntry, DirectoryHead } from "../core/directory";
import { documentOf } from "../core/directory-document";
import { type LineReader, linesOf, readLines, type Span } from "../core/directory-lines";
import type { ControlKeys } from "../redis/control-keys";
import { readDirectoryBase, writeDirectoryBase } from "../redis/directory";

/** A whole directory as tests write it. */
export type TestDirectory = {
  environment: string;
  epoch: number;
  seq: number;
  entries: DirectoryEntry[];
};

export function headOf({ environment, epoch, seq }: TestDirectory): DirectoryHead {
  const expected = { keys: 0, names: 0 };
  return { format: "headgate-directory/1", environment, epoch, seq, expected };
}

export function indexOf(base?: Pick<TestDirectory, "entries">): DirectoryIndex {
  const index = createDirectoryIndex();
  for (const entry of base?.entries ?? []) index.apply(entry);
  return index;
}

export function documentBytes(base: TestDirectory): Buffer {
  return Buffer.concat([...documentOf(headOf(base), linesOf(base.entries), crc32)]);
}

export function putDirectoryBase(
  redis: Redis,
  keys: ControlKeys,
  base: TestDirectory,
): Promise<boolean> {
  return writeDirectoryBase(redis, keys, headOf(base), linesOf(base.entries));
}

/** What a base in Redis says, its hashes shortened to what gateways know of them. */
export async function baseInRedis(redis: Redis, keys: ControlKeys): Promise<TestDirectory | null> {
  const found = await readDirectoryBase(redis, keys);
  if (found === null) return null;
  const entries: DirectoryEntry[] = [];
  for await (const chunk of found.chunks) entries.push(...entriesOf(chunk));
  const { environment, epoch, seq } = found.head;
  return { environment, epoch, seq, entries };
}

/** What the console answers a gateway, read as a gateway does. */
export async function baseOverHttp(ctx: Ctx): Promise<TestDirectory> {
  const { head, index } = await loadDocument(await getDirectoryBase(ctx), () => true);
  const { environment, epoch, seq } = head;
  return { environment, epoch, seq, entries: entriesIn(index) };
}

export function entriesIn(index: DirectoryIndex): DirectoryEntry[] {
  return [...index.chunks()].flatMap(entriesOf);
}

function entriesOf(chunk: Uint8Array): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  const text = (bytes: Uint8Array, { from, to }: Span) =>
    Buffer.from(bytes.subarray(from, to)).toString();
  const reader: LineReader = {
    customer: (bytes, id, plan) =>
      entries.push({ type: "customer", id: text(bytes, id), plan: text(bytes, plan) }),
    key: (bytes, words, id, customer, expiresAtMs) =>
      entries.push({
        type: "key",
        hash: [...words].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join(""),
        keyId: "",
        id: text(bytes, id),
        customer: text(bytes, customer),
        ...(expiresAtMs === null ? {} : { expiresAtMs }),
      }),
    override: (override) => entries.push(override),
  };
  readLines(chunk, reader);
  return entries;
}
