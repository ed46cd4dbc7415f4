import { callAction } from "@/components/ui/action-result";
import type { BacktestLogRow } from "@/lib/core/api/backtests";
import type { LogActions } from "./backtest-actions-data";

const PART_BYTES = 524_288;

type Sent = { ok: true; log: BacktestLogRow } | { ok: false; message: string };

/** Packs what is not packed yet, so that a log is a tenth on its way, and sends it piece by piece. */
export async function sendLog(
  file: File,
  actions: LogActions,
  { onProgress, signal }: { onProgress(share: number): void; signal: AbortSignal },
): Promise<Sent> {
  const begun = await callAction(actions.begin, { name: file.name.slice(0, 120) || "access.log" });
  if (!begun.ok) return begun;
  const { id } = begun.data;
  let n = 0;
  let read = 0;
  try {
    const counted = file.stream().pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          read += chunk.length;
          controller.enqueue(chunk);
        },
      }),
    );
    const isPacked = await startsAsGzip(file);
    const stream = isPacked ? counted : counted.pipeThrough(new CompressionStream("gzip"));
    for await (const part of partsOf(stream)) {
      if (signal.aborted) return { ok: false, message: "the upload was stopped" };
      const added = await callAction(actions.add, { id, n, base64: base64Of(part) });
      if (!added.ok) return added;
      n += 1;
      onProgress(file.size === 0 ? 1 : read / file.size);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `${file.name} cannot be read: ${why}` };
  }
  const ended = await callAction(actions.end, { id });
  return ended.ok ? { ok: true, log: ended.data } : ended;
}

async function startsAsGzip(file: File): Promise<boolean> {
  const [a, b] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return a === 0x1f && b === 0x8b;
}

async function* partsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let part = new Uint8Array(PART_BYTES);
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (let at = 0; at < value.length; ) {
      const piece = value.subarray(at, at + PART_BYTES - length);
      part.set(piece, length);
      length += piece.length;
      at += piece.length;
      if (length < PART_BYTES) continue;
      yield part;
      part = new Uint8Array(PART_BYTES);
      length = 0;
    }
  }
  if (length > 0) yield part.subarray(0, length);
}

/** In steps that a call's arguments can hold. */
function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}
