/** One request of the demo's traffic. */
export type TrafficRequest = { method: string; path: string; body?: object };

/** Somebody who sends requests: what `next` gives is sent after its wait, and so on without end. */
export type Actor = {
  name: string;
  /** The address that the gateway is told, as every actor here runs on one machine. */
  address: string;
  /** Null without an API key. */
  key: string | null;
  userAgent: string;
  /** Waits as long as a 429 asks; a script that runs away does not. */
  isPolite: boolean;
  next(random: Random): { waitMs: number; request: TrafficRequest };
};

/** 0 <= x < 1 */
export type Random = () => number;

type Client = { key: string; plan: string };

/** Mean requests a second while at work: together about 30 for the demo's hundred clients. */
const PACE: Record<string, number> = { free: 0.5, paid: 1.6, enterprise: 6 };
const RUNAWAY_PER_SECOND = 3;
const SCANNER_PER_SECOND = 3;
const BURST_SIZE = 45;
const BURST_EVERY_MS = 20_000;
/** Of the free clients, every so manieth shares mostly links. */
const SHARER_EVERY = 12;

/** Everyone: each client as people work, but for two free ones, a script gone wild and a burster; and a scanner. */
export function createActors(clients: readonly Client[]): Actor[] {
  const free = clients.flatMap(({ plan }, i) => (plan === "free" ? [i] : []));
  const [runaway, burster] = free;
  const actors = clients.map(({ key, plan }, i): Actor => {
    const who = { name: `${plan}-${i}`, address: `198.51.100.${1 + (i % 250)}`, key };
    if (i === runaway) return runawayScript(who);
    if (i === burster) return campaign(who);
    const isSharer = plan === "free" && i % SHARER_EVERY === 0;
    return person(who, { perSecond: PACE[plan] ?? 0.5, linkShare: isSharer ? 0.6 : 0 });
  });
  return [...actors, scanner()];
}

type Who = Pick<Actor, "name" | "address" | "key">;

/** A few requests close together, then a pause: as long again in all as the work itself. */
function person(
  who: Who,
  { perSecond, linkShare }: { perSecond: number; linkShare: number },
): Actor {
  let left = 0;
  return {
    ...who,
    userAgent: "headgate-demo/1 (sdk)",
    isPolite: true,
    next: (random) => {
      const mean = 1000 / perSecond;
      const isPause = left === 0;
      if (isPause) left = 3 + Math.floor(random() * 6);
      left -= 1;
      const request = random() < linkShare ? newLink() : ordinary(random);
      return { waitMs: exponential(random, isPause ? mean * 6 : mean), request };
    },
  };
}

function runawayScript(who: Who): Actor {
  return {
    ...who,
    userAgent: "curl/8.5.0",
    isPolite: false,
    next: (random) => ({
      waitMs: (1000 / RUNAWAY_PER_SECOND) * (0.9 + random() * 0.2),
      request: { method: "GET", path: "/v1/messages?status=queued" },
    }),
  };
}

/** Makes its links all at once. */
function campaign(who: Who): Actor {
  let left = 0;
  return {
    ...who,
    userAgent: "campaign-tool/2.3",
    isPolite: false,
    next: (random) => {
      const isFirst = left === 0;
      if (isFirst) left = BURST_SIZE;
      left -= 1;
      const waitMs = isFirst ? BURST_EVERY_MS * (0.9 + random() * 0.2) : 15;
      return { waitMs, request: newLink() };
    },
  };
}

const SCANNED = [
  "/wp-login.php",
  "/.env",
  "/.git/config",
  "/admin/",
  "/phpmyadmin/index.php",
  "/cgi-bin/test",
  "/v1/../etc/passwd",
  "/actuator/health",
  "/backup.zip",
  "/xmlrpc.php",
];

function scanner(): Actor {
  return {
    name: "scanner",
    address: "203.0.113.66",
    key: null,
    userAgent: "Mozilla/5.0 zgrab/0.x",
    isPolite: false,
    next: (random) => ({
      waitMs: exponential(random, 1000 / SCANNER_PER_SECOND),
      request: { method: "GET", path: `${pick(random, SCANNED)}?${Math.floor(random() * 1e6)}` },
    }),
  };
}

function ordinary(random: Random): TrafficRequest {
  const dice = random();
  if (dice < 0.4) return { method: "GET", path: "/v1/messages" };
  if (dice < 0.6) return { method: "GET", path: `/v1/messages/${messageId(random)}` };
  if (dice < 0.8)
    return {
      method: "POST",
      path: "/v1/messages",
      body: {
        to: `+1555010${Math.floor(100 + random() * 900)}`,
        text: "Your parcel arrives today.",
      },
    };
  if (dice < 0.95) return { method: "GET", path: `/v1/links/${linkId(random)}` };
  return newLink();
}

function newLink(): TrafficRequest {
  return { method: "POST", path: "/v1/links", body: { url: "https://example.com/parcel" } };
}

function messageId(random: Random): string {
  return `msg_${Math.floor(1 + random() * 500)}`;
}

function linkId(random: Random): string {
  return Math.floor(1e6 + random() * 1e6).toString(36);
}

/** Bounded to six times the mean, so that nobody is gone for minutes. */
function exponential(random: Random, mean: number): number {
  return Math.min(6 * mean, -Math.log(1 - random()) * mean);
}

function pick<T>(random: Random, from: readonly [T, ...T[]] | readonly T[]): T {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error("pick needs something to pick from");
  return found;
}
