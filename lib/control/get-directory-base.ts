import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { DirectoryHead, DirectoryPosition } from "@/lib/core/directory";
import { createDocumentEnd, headLine } from "@/lib/core/directory-document";
import { AppError } from "@/lib/core/errors";
import type { Control, Ctx } from "./context";
import { withDirectoryBase } from "./directory-base";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";

/** A fleet that starts without Redis asks all at once: it gets one reading of the database, while that is the newest. */
const SHARED_MS = 15_000;

type Reading = {
  pieces: Uint8Array[];
  position: DirectoryPosition | null;
  state: "reading" | "done" | Error;
  wake: Promise<void>;
};

const readings = new WeakMap<Control["db"], Reading>();

/** The directory's document in pieces, as gateways load it where Redis cannot help. */
export async function getDirectoryBase(ctx: Ctx): Promise<AsyncGenerator<Uint8Array>> {
  requirePermission(ctx, "fleet");
  const pieces = follow((await findShared(ctx)) ?? startReading(ctx));
  // The first one now, so that an outage is an answer and not a body that breaks off.
  const first = await pieces.next();
  return resumed(first.value, pieces);
}

async function findShared(ctx: Ctx): Promise<Reading | null> {
  const { epoch, directorySeq } = await getInstallation(ctx.db);
  const reading = readings.get(ctx.db);
  if (reading === undefined || reading.state instanceof Error) return null;
  if (reading.position === null) return reading;
  const isNewest = reading.state === "reading" || reading.position.seq === directorySeq;
  return isNewest && reading.position.epoch === epoch ? reading : null;
}

function startReading(ctx: Ctx): Reading {
  let resolve = () => {};
  const nextStep = () =>
    new Promise<void>((settle) => {
      resolve = settle;
    });
  const reading: Reading = {
    pieces: [],
    position: null,
    state: "reading",
    wake: nextStep(),
  };
  readings.set(ctx.db, reading);
  const tell = () => {
    const told = resolve;
    reading.wake = nextStep();
    told();
  };
  const add = (piece: Uint8Array) => {
    reading.pieces.push(piece);
    tell();
  };
  const read = withDirectoryBase(ctx, (head, chunks) => {
    reading.position = { epoch: head.epoch, seq: head.seq };
    return collect(head, chunks, add);
  });
  void read
    .then(
      () => {
        reading.state = "done";
      },
      (error: unknown) => {
        reading.state = error instanceof Error ? error : new AppError("internal", String(error));
      },
    )
    .then(async () => {
      tell();
      if (reading.state === "done") await sleep(SHARED_MS, undefined, { ref: false });
      if (readings.get(ctx.db) === reading) readings.delete(ctx.db);
    });
  return reading;
}

async function collect(
  head: DirectoryHead,
  chunks: AsyncIterable<Uint8Array>,
  add: (piece: Uint8Array) => void,
): Promise<void> {
  const end = createDocumentEnd(crc32);
  add(headLine(head));
  for await (const chunk of chunks) {
    end.add(chunk);
    add(chunk);
  }
  add(end.line());
}

async function* follow(reading: Reading): AsyncGenerator<Uint8Array> {
  for (let i = 0; ; i += 1) {
    while (reading.pieces[i] === undefined) {
      if (reading.state === "done") return;
      if (reading.state !== "reading") throw reading.state;
      await reading.wake;
    }
    const piece = reading.pieces[i];
    if (piece !== undefined) yield piece;
  }
}

async function* resumed(
  first: Uint8Array | undefined,
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first !== undefined) yield first;
  yield* pieces;
}
