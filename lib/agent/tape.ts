import { deflateRawSync } from "node:zlib";
import type { Clock } from "@/lib/clock";
import type { Identity } from "@/lib/core/identity";
import { drawOf } from "@/lib/core/share";
import { encodeTapeBlock, TAPE_REQUESTS_MAX, type TapeRequest } from "@/lib/core/tape-block";

/** The draw's fixed name: the same clients are on the tape of every gateway, whatever the rules are. */
const DRAW = "_tape";
/** Draws kept; a flood of clients costs time, not memory. */
const KNOWN_MAX = 10_000;

export type TapeSettings = { enabled: boolean; percent: number; maxPerClientPerMinute: number };

export type TapedRequest = {
  identity: Identity;
  method: string;
  route: string;
  verdict: "allowed" | "refused";
};

export type TapeBlock = {
  fromMs: number;
  toMs: number;
  requests: number;
  /** Of clients on the tape, beyond what is kept of one in a minute or of all until the next take. */
  dropped: number;
  percent: number;
  /** Deflated columns. */
  bytes: Uint8Array;
};

export type Tape = {
  record(request: TapedRequest, settings: TapeSettings): void;
  /** Everything since the last call; null when nothing was recorded or dropped. */
  take(): TapeBlock | null;
};

/**
 * Keeps each request of a stable share of the clients, whole clients so that a limit can be judged on them. A change
 * of the share begins with the next request; a block names the share it ended with.
 */
export function createTape({ clock }: { clock: Clock }): Tape {
  const draws = new Map<string, number>();
  let requests: TapeRequest[] = [];
  let byClient = new Map<string, number>();
  let minute = 0;
  let percent = 0;
  let dropped = 0;
  let fromMs = clock.nowMs();

  function isOnTape(client: string): boolean {
    let draw = draws.get(client);
    if (draw === undefined) {
      draw = drawOf(DRAW, client);
      if (draws.size >= KNOWN_MAX) draws.clear();
      draws.set(client, draw);
    }
    return draw < percent * 100;
  }

  return {
    record: ({ identity, method, route, verdict }, settings) => {
      if (!settings.enabled || settings.percent <= 0) return;
      percent = settings.percent;
      if (!isOnTape(identity.client)) return;
      const nowMs = clock.nowMs();
      const at = Math.floor(nowMs / 60_000);
      if (at !== minute) {
        minute = at;
        byClient = new Map();
      }
      const seen = (byClient.get(identity.client) ?? 0) + 1;
      byClient.set(identity.client, seen);
      if (seen > settings.maxPerClientPerMinute || requests.length >= TAPE_REQUESTS_MAX) {
        dropped += 1;
        return;
      }
      requests.push({
        atUs: Math.round(nowMs * 1000),
        client: identity.client,
        plan: identity.plan,
        customer: identity.customer,
        ip: identity.ip.toString(),
        method: method.slice(0, 16),
        route,
        refused: verdict === "refused",
      });
    },
    take: () => {
      const toMs = clock.nowMs();
      const taken = { fromMs: Math.min(fromMs, toMs), toMs, percent, dropped };
      fromMs = toMs;
      if (requests.length === 0 && dropped === 0) return null;
      const bytes = deflateRawSync(encodeTapeBlock(requests));
      const block = { ...taken, requests: requests.length, bytes };
      requests = [];
      dropped = 0;
      return block;
    },
  };
}
