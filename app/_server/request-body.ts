import { HttpError } from "./http-error";

/** Reads a JSON body of at most `maxBytes`; undefined when there is none. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBounded(request, maxBytes);
  if (bytes.length === 0) return undefined;
  requireJsonType(request.headers.get("content-type"));
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

async function readBounded(request: Request, maxBytes: number): Promise<Uint8Array> {
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
