import type { IncomingHttpHeaders } from "node:http";
import { type ClientId, parseClientId } from "@/lib/core/client-id";

/**
 * Takes out what only a trusted hop may say, and any field that an upstream could take for it: CGI and its kin read
 * `X_Client` as `X-Client`. True where a peer that is not trusted sent it.
 */
export function guardTrustedHeader(
  headers: IncomingHttpHeaders,
  { name, isPeerTrusted }: { name: string; isPeerTrusted: boolean },
): boolean {
  const spelling = dashed(name);
  let isRefused = false;
  for (const sent of Object.keys(headers)) {
    if (sent.length !== name.length || dashed(sent) !== spelling) continue;
    if (isPeerTrusted && sent === name) continue;
    delete headers[sent];
    isRefused ||= !isPeerTrusted;
  }
  return isRefused;
}

/** `key:<id>`, `customer:<id>`, or a customer's bare id; null for anything else, so for two lines, too. */
export function namedClient(value: string): ClientId | null {
  const client = parseClientId(value.includes(":") ? value : `customer:${value}`);
  return client === null || client.startsWith("ip:") ? null : client;
}

function dashed(name: string): string {
  return name.replaceAll("_", "-");
}
