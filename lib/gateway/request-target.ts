import type { IncomingMessage } from "node:http";

const ABSOLUTE = /^https?:\/\/([^/?#\s@]+)(.*)$/is;

/**
 * Leaves the request in origin form, so that what is matched is what is forwarded: an absolute form's host
 * becomes the Host field (RFC 9112 §3.2.2). Null for a target that names no path here.
 */
export function takeOriginForm(request: IncomingMessage): string | null {
  const target = request.url ?? "";
  if (target.startsWith("/")) return target;
  const [, host, rest = ""] = ABSOLUTE.exec(target) ?? [];
  if (host === undefined) return null;
  request.headers.host = host;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  return request.url;
}
