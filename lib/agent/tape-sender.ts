import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { encodeTapeBlock } from "@/lib/core/tape-block";
import type { TapeEntry } from "@/lib/core/tape-entry";
import type { Log } from "@/lib/log";
import { reasonOf } from "@/lib/redis/reason";
import type { RawTapeBlock } from "./tape";

/** Kept while Redis takes none: some minutes of a busy gateway. A tape that is lost costs no limit. */
const KEPT_BYTES_MAX = 16_000_000;
const KEPT_BLOCKS_MAX = 1_000;

const deflate = promisify(deflateRaw);

export type TapeSender = {
  /** Encodes the blocks one after the other, the event loop having its turn in between, and sends what there is. */
  send(blocks: readonly RawTapeBlock[]): Promise<void>;
  waiting(): number;
  /** Requests given up since the start. */
  dropped(): number;
};

type Sealed = Omit<TapeEntry, "schema" | "environment" | "gateway" | "boot" | "sequence">;

type Options = {
  environment: string;
  gateway: string;
  boot: string;
  /** Throws when the block was not, or perhaps not, taken: it is sent again under its number. */
  append(entry: TapeEntry): Promise<void>;
  log: Log;
  keptBytesMax?: number;
};

/** Numbers a block when it is first sent; what is given up before is in `dropped` of the next one. */
export function createTapeSender(options: Options): TapeSender {
  const { environment, gateway, boot, append, log } = options;
  const keptBytesMax = options.keptBytesMax ?? KEPT_BYTES_MAX;
  const raw: RawTapeBlock[] = [];
  const sealed: Sealed[] = [];
  let bytes = 0;
  let tried: TapeEntry | null = null;
  let sequence = 0;
  let droppedRequests = 0;
  let working: Promise<void> | null = null;

  function keep(block: Sealed): void {
    sealed.push(block);
    bytes += block.bytes.length;
    while ((bytes > keptBytesMax || sealed.length > KEPT_BLOCKS_MAX) && sealed.length > 1) {
      const oldest = sealed.shift();
      const next = sealed[0];
      if (oldest === undefined || next === undefined) return;
      bytes -= oldest.bytes.length;
      if (droppedRequests === 0) log.warn({ waiting: sealed.length }, "tape is being lost");
      droppedRequests += oldest.requests;
      next.dropped += oldest.dropped + oldest.requests;
    }
  }

  async function sealAll(): Promise<void> {
    for (;;) {
      const block = raw.shift();
      if (block === undefined) return;
      const { requests, ...head } = block;
      const packed = await deflate(encodeTapeBlock(requests));
      keep({ ...head, requests: requests.length, bytes: packed.toString("base64") });
    }
  }

  async function sendAll(): Promise<void> {
    for (;;) {
      if (tried === null) {
        const oldest = sealed.shift();
        if (oldest === undefined) return;
        bytes -= oldest.bytes.length;
        sequence += 1;
        tried = { schema: 1, environment, gateway, boot, sequence, ...oldest };
      }
      try {
        await append(tried);
      } catch (error) {
        log.debug({ reason: reasonOf(error), waiting: sealed.length }, "tape waits");
        return;
      }
      tried = null;
    }
  }

  async function work(): Promise<void> {
    await sealAll();
    await sendAll();
    // What came while it was sent.
    if (raw.length > 0) await work();
  }

  return {
    send: (blocks) => {
      raw.push(...blocks);
      working ??= work().finally(() => {
        working = null;
      });
      return working;
    },
    waiting: () => raw.length + sealed.length + (tried === null ? 0 : 1),
    dropped: () => droppedRequests,
  };
}
