import { deflateRawSync } from "node:zlib";
import { encodeTapeBlock, type TapeRequest } from "../core/tape-block";
import type { TapeEntry } from "../core/tape-entry";

/** One request of client `key:a`. */
export function tapeRequest(fields: Partial<TapeRequest> & { atMs: number }): TapeRequest {
  const { atMs, ...rest } = fields;
  return {
    atUs: atMs * 1000,
    client: "key:a",
    plan: "free",
    customer: "acme",
    ip: "198.51.100.1",
    method: "GET",
    route: "/v1/messages",
    refused: false,
    preflight: false,
    ...rest,
  };
}

type Block = Partial<Omit<TapeEntry, "requests">> & {
  environment: string;
  sequence: number;
  requests: readonly TapeRequest[];
};

/** A block as a gateway sends it. */
export function tapeEntry({ requests, ...fields }: Block): TapeEntry {
  const times = requests.map(({ atUs }) => Math.floor(atUs / 1000));
  return {
    schema: 1,
    gateway: "gw-1",
    boot: "boot-0001",
    fromMs: Math.min(...times),
    toMs: Math.max(...times),
    percent: 100,
    dropped: 0,
    bytes: deflateRawSync(encodeTapeBlock(requests)).toString("base64"),
    ...fields,
    requests: requests.length,
  };
}
