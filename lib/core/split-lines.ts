import { LINE_LENGTH_MAX } from "./access-log";

/**
 * A log's lines from its bytes, as many at a time as a chunk ends. A line beyond LINE_LENGTH_MAX is cut a little above
 * it, so that it is still told as too long.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  let isOverflowing = false;
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (isOverflowing && lines.length > 0) {
      lines.shift();
      isOverflowing = false;
    }
    if (rest.length > LINE_LENGTH_MAX) {
      if (!isOverflowing) lines.push(rest);
      isOverflowing = true;
      rest = "";
    }
    if (lines.length > 0) yield lines;
  }
  rest += decoder.decode();
  if (rest !== "" && !isOverflowing) yield [rest];
}
