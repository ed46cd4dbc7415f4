import type { IncomingMessage } from "node:http";

/**
 * Says to the upstream for whom we ask, after hop-by-hop fields are gone. The peer is added to X-Forwarded-For;
 * what a proxy that is not trusted said of scheme and host is replaced.
 */
export function addForwarded(
  request: IncomingMessage,
  { isPeerTrusted, requestId }: { isPeerTrusted: boolean; requestId: string },
): void {
  const { headers, socket } = request;
  const peer = socket.remoteAddress;
  const before = headers["x-forwarded-for"];
  if (peer !== undefined)
    headers["x-forwarded-for"] =
      before === undefined || before === "" ? peer : `${before}, ${peer}`;
  if (!isPeerTrusted || headers["x-forwarded-proto"] === undefined)
    headers["x-forwarded-proto"] = "http";
  if (!isPeerTrusted || headers["x-forwarded-host"] === undefined)
    headers["x-forwarded-host"] = headers.host ?? "";
  headers["x-request-id"] = requestId;
  // Node has told the client to go on already, or it is told when the request is let through.
  delete headers.expect;
}
