import type { Clock } from "@/lib/clock";
import type { Identity } from "@/lib/core/identity";
import { drawOf } from "@/lib/core/share";
import type { TapeRequest } from "@/lib/core/tape-block";
import { TAPE_DRAW, tapeSample } from "@/lib/core/tape-sample";
import type { TapeSettings } from "@/lib/core/tape-settings";

/** Draws kept; a flood of clients costs time, not memory. */
const KNOWN_MAX = 10_000;
/** A block's encoding holds the event loop a millisecond or two; ten times as many would be felt. */
const BLOCK_REQUESTS = 2_000;
/** Blocks closed and not yet encoded; more come only where the event loop has no breath. */
const CLOSED_MAX = 20;
/** Clients counted in a minute; of more nothing is kept, so that a flood of addresses costs no memory. */
const CLIENTS_A_MINUTE = 50_000;

export type TapedRequest = {
  identity: Identity;
  method: string;
  route: string;
  verdict: "allowed" | "refused";
  preflight: boolean;
};

/** Requests under one share of the clients, not yet encoded. */
export type RawTapeBlock = {
  fromMs: number;
  toMs: number;
  percent: number;
  /** Of clients on tape, requests beyond what is kept of one in a minute or of all. */
  dropped: number;
  requests: TapeRequest[];
};

type Kept = TapedRequest & { atMs: number };
type OpenBlock = { fromMs: number; percent: number; dropped: number; kept: Kept[] };

export type Tape = {
  /** On a request's way: puts it down, or finds that its client is not on tape, and does nothing else. */
  record(request: TapedRequest, settings: TapeSettings): void;
  /** Blocks that are full, oldest first, and the open one, too, if it is as old as that. */
  take(openMs?: number): RawTapeBlock[];
  counts(): { recorded: number; dropped: number };
};

/** Keeps each request of a stable share of the clients: whole clients, so that a limit can be judged on them. */
export function createTape({ clock, onFull }: { clock: Clock; onFull(): void }): Tape {
  const draws = new Map<string, number>();
  let byClient = new Map<string, number>();
  let minute = 0;
  let open: OpenBlock | null = null;
  let closed: (OpenBlock & { toMs: number })[] = [];
  /** What was lost with whole blocks, told by the next one. */
  let lost = 0;
  const counts = { recorded: 0, dropped: 0 };

  function isOnTape(client: string, percent: number): boolean {
    if (percent >= 100) return true;
    let draw = draws.get(client);
    if (draw === undefined) {
      draw = drawOf(TAPE_DRAW, client);
      if (draws.size >= KNOWN_MAX) draws.clear();
      draws.set(client, draw);
    }
    return draw < tapeSample(percent);
  }

  function close(block: OpenBlock, nowMs: number): void {
    open = null;
    if (closed.length >= CLOSED_MAX) {
      lost += block.kept.length + block.dropped;
      counts.recorded -= block.kept.length;
      counts.dropped += block.kept.length;
      return;
    }
    closed.push({ ...block, toMs: Math.max(nowMs, block.fromMs) });
  }

  function isBeyondCap(client: string, nowMs: number, max: number): boolean {
    const at = Math.floor(nowMs / 60_000);
    if (at !== minute) {
      minute = at;
      byClient = new Map();
    }
    const seen = byClient.get(client) ?? 0;
    if (seen >= max || (seen === 0 && byClient.size >= CLIENTS_A_MINUTE)) return true;
    byClient.set(client, seen + 1);
    return false;
  }

  return {
    record: (request, { enabled, percent, maxPerClientPerMinute }) => {
      if (!enabled || !isOnTape(request.identity.client, percent)) return;
      const atMs = clock.nowMs();
      if (open !== null && open.percent !== percent) close(open, atMs);
      open ??= { fromMs: atMs, percent, dropped: 0, kept: [] };
      if (isBeyondCap(request.identity.client, atMs, maxPerClientPerMinute)) {
        open.dropped += 1;
        counts.dropped += 1;
        return;
      }
      const { identity, method, route, verdict, preflight } = request;
      open.kept.push({ identity, method, route, verdict, preflight, atMs });
      counts.recorded += 1;
      if (open.kept.length < BLOCK_REQUESTS) return;
      close(open, atMs);
      onFull();
    },
    take: (openMs = 0) => {
      const nowMs = clock.nowMs();
      if (open !== null && Math.abs(nowMs - open.fromMs) >= openMs) close(open, nowMs);
      const taken = closed.map(({ kept, ...block }) => ({ ...block, requests: kept.map(asTaped) }));
      closed = [];
      const [first] = taken;
      if (first !== undefined) {
        first.dropped += lost;
        lost = 0;
      }
      return taken;
    },
    counts: () => ({ ...counts }),
  };
}

function asTaped({ identity, method, route, verdict, preflight, atMs }: Kept): TapeRequest {
  const { client, plan, customer, ip } = identity;
  return {
    atUs: Math.round(atMs * 1000),
    client,
    plan,
    customer,
    ip: ip.toString(),
    method: method.slice(0, 16),
    route,
    refused: verdict === "refused",
    preflight,
  };
}
