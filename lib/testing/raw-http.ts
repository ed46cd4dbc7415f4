import { connect } from "node:net";
import { text } from "node:stream/consumers";

export type RawAnswer = { status: number; head: string; body: string };

/** A request as no HTTP library would send it: these lines, then the end. Text is sent as its bytes (latin1). */
export async function sendRaw(
  port: number,
  lines: readonly string[],
  request = "GET /v1/messages HTTP/1.1",
): Promise<RawAnswer> {
  const socket = connect({ host: "127.0.0.1", port });
  const all = [request, "Host: api.example", ...lines];
  if (!lines.some((line) => /^connection:/i.test(line))) all.push("Connection: close");
  socket.write(`${all.join("\r\n")}\r\n\r\n`, "latin1");
  const answer = await text(socket);
  const [head = "", body = ""] = splitAt(answer, "\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body };
}

function splitAt(whole: string, mark: string): string[] {
  const at = whole.indexOf(mark);
  return at === -1 ? [whole] : [whole.slice(0, at), whole.slice(at + mark.length)];
}
