import type { IncomingHttpHeaders } from "node:http";
import { HOP_BY_HOP } from "@/lib/core/header-name";

/** Naming these in Connection must not undo the framing or the addressee. */
const NEVER_NOMINATED = new Set(["content-length", "host", "transfer-encoding"]);

/** Takes out what is for this hop only, and what Connection says is. */
export function removeHopByHop(headers: IncomingHttpHeaders): void {
  for (const name of nominated(headers.connection)) delete headers[name];
  for (const name of HOP_BY_HOP) delete headers[name];
}

/** Names that a Connection header makes hop-by-hop, lower-case. */
export function nominated(connection: string | undefined): string[] {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return [];
  return connection
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && !NEVER_NOMINATED.has(name));
}

/** The fields of an upstream's answer that go on to the client, as pairs in a row, in their order and spelling. */
export function endToEndFields(
  rawHeaders: readonly string[],
  { connection, drop }: { connection: string | undefined; drop: ReadonlySet<string> },
): string[] {
  const named = nominated(connection);
  const fields: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || lower === "transfer-encoding") continue;
    if (named.includes(lower) || drop.has(lower)) continue;
    fields.push(name, rawHeaders[i + 1] ?? "");
  }
  return fields;
}
