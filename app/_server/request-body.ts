import { HttpError } from "./http-error";

/** A JSON body; undefined when there is none. */
export function parseJsonBody(bytes: Uint8Array, contentType: string | null): unknown {
  if (bytes.length === 0) return undefined;
  requireJsonType(contentType);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HttpError(400, `the body is not JSON: ${why}`);
  }
}

function requireJsonType(given: string | null): void {
  const type = given?.split(";")[0]?.trim().toLowerCase() ?? "application/json";
  if (type === "application/json" || type.endsWith("+json")) return;
  throw new HttpError(415, `the body must be application/json, got ${type}`, {
    accept: "application/json",
  });
}

/** The body's bytes, at most `maxBytes` of them. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new HttpError(413, `the body may have at most ${maxBytes} bytes, got more`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}
