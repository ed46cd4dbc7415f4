import type { IncomingMessage } from "node:http";
import type { AddressHeader } from "@/lib/core/identity-settings";
import type { ClientAddress } from "./client-address";
import { elementOf } from "./forwarded-element";

type Input = { from: ClientAddress; addressHeader: AddressHeader; requestId: string };

/**
 * Says to the upstream for whom we ask, after hop-by-hop fields are gone: the client as it was judged, then the
 * peer. What nobody trusted said of address, scheme and host is replaced.
 */
export function addForwarded(
  request: IncomingMessage,
  { from, addressHeader, requestId }: Input,
): void {
  const { headers, socket } = request;
  const peer = socket.remoteAddress;
  if (addressHeader === "forwarded") {
    const client = from.chain === "" ? null : from.address.toString();
    headers["x-forwarded-for"] = listOf(client ?? "", peer);
    headers["x-forwarded-proto"] = from.proto ?? "http";
    headers["x-forwarded-host"] = from.host ?? headers.host ?? "";
    const own = { node: peer ?? "unknown", proto: "http", host: headers.host ?? null };
    headers.forwarded = listOf(from.chain, elementOf(own));
  } else {
    headers["x-forwarded-for"] = listOf(from.chain, peer);
    if (!from.isPeerTrusted || headers["x-forwarded-proto"] === undefined)
      headers["x-forwarded-proto"] = "http";
    if (!from.isPeerTrusted || headers["x-forwarded-host"] === undefined)
      headers["x-forwarded-host"] = headers.host ?? "";
    // Trusted hops do not write it, so it is a client's own words, and the upstream may believe them.
    delete headers.forwarded;
  }
  headers["x-request-id"] = requestId;
  // Node has told the client to go on already, or it is told when the request is let through.
  delete headers.expect;
}

function listOf(before: string, last: string | undefined): string {
  return [before, last].filter((entry) => entry !== undefined && entry !== "").join(", ");
}
