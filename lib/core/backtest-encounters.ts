import type { DemandRecorder } from "./backtest-demand";
import { createPathClasses, flat, type PathClass } from "./backtest-paths";
import type { BacktestRequest } from "./backtest-result";
import type { BacktestTally, TallyRows } from "./backtest-tally";
import type { BucketCells } from "./bucket-cells";
import type { HeldRule } from "./check-in-place";
import type { Identity } from "./identity";
import { type IpAddress, ipClientId, parseIp } from "./ip";
import { methodBit } from "./rule-conditions";
import type { CompiledRule, MatchedRule, RequestFacts, RulesetIndex } from "./ruleset-index";

/** A rule's figures, over all its requests. */
export type RuleTally = {
  compiled: CompiledRule;
  alsoRefused: number;
  tally: BacktestTally;
  /** What was asked of it, where that is wanted. */
  recorder: DemandRecorder | null;
};

/** One rule that a request meets. */
export type MetRule = HeldRule & {
  rule: RuleTally;
  rows: TallyRows;
  /** Whether what a request was told to cost counts instead. */
  takesTold: boolean;
  /** The bucket's index in the rule's demand. */
  asked: number;
};

/** A bucket among the cells, and in its rule's demand. */
type MetBucket = Pick<MetRule, "bucket" | "asked">;

/** What all requests of one sender, method and class of paths meet. */
export type Encounter = {
  ruling: "allow" | "deny" | null;
  rows: TallyRows;
  met: readonly MetRule[];
};

type Sender = {
  ip: string;
  plan: string;
  customer: string | null | undefined;
  identity: Identity;
  ruling: Encounter["ruling"];
  lastKey: number;
  last: Encounter | null;
  encounters: Map<number, Encounter>;
};

const ADDRESSES_MAX = 200_000;
/** About 100 bytes each. */
const KEPT_MAX = 1_000_000;
/** Above every method's bit. */
const METHOD_BITS_MAX = 1024;

type Options = {
  ruleset: RulesetIndex;
  cells: BucketCells;
  total: BacktestTally;
  /** Its figures; undefined for rules that a backtest leaves out. */
  ruleOf(compiled: CompiledRule): RuleTally | undefined;
  /** Encounters whose requests are not decided yet. */
  waiting(): Iterable<Encounter>;
  bucketsMax: number;
};

/** Works out what requests meet, once for all that meet the same. */
export function createEncounters({ ruleset, cells, total, ruleOf, waiting, bucketsMax }: Options) {
  const classOf = createPathClasses(ruleset);
  const addresses = new Map<string, IpAddress | null>();
  const senders = new Map<string, Sender[]>();
  const buckets = new Map<string, MetBucket>();
  let kept = 0;
  let sweepAt = bucketsMax;

  function addressOf(text: string): IpAddress | null {
    const known = addresses.get(text);
    if (known !== undefined) return known;
    if (addresses.size >= ADDRESSES_MAX) addresses.clear();
    const ip = parseIp(text);
    addresses.set(flat(text), ip);
    return ip;
  }

  function senderOf(request: BacktestRequest): Sender | null {
    const { client, plan, customer, ip } = request;
    const ofClient = senders.get(client);
    if (ofClient !== undefined)
      for (const sender of ofClient)
        if (sender.ip === ip && sender.plan === plan && sender.customer === customer) return sender;
    const address = addressOf(ip);
    if (address === null) return null;
    const identity = identityOf(request, address, ruleset);
    const ruling = ruleset.lists.find(identity)?.list;
    const sender: Sender = {
      ip: flat(ip),
      plan,
      customer,
      identity,
      ruling: ruling === "allow" || ruling === "deny" ? ruling : null,
      lastKey: Number.NaN,
      last: null,
      encounters: new Map(),
    };
    if (ofClient === undefined) senders.set(flat(client), [sender]);
    else ofClient.push(sender);
    return sender;
  }

  function bucketOf(
    { compiled, principal, rest }: MatchedRule,
    { recorder }: RuleTally,
    { client, plan }: Identity,
  ): MetBucket {
    const parts = rest.map((part) => `${part.length}:${part}`).join("");
    const key = `${compiled.slot} ${principal} ${parts}`;
    const known = buckets.get(key);
    if (known !== undefined) return known;
    const made = { bucket: cells.add(), asked: recorder?.bucketOf(client, plan) ?? -1 };
    buckets.set(key, made);
    return made;
  }

  function meet(
    { identity, ruling }: Sender,
    { path, route }: PathClass,
    { method, headers = {} }: BacktestRequest,
  ): Encounter {
    const { client, plan } = identity;
    const seen = { client, plan, route };
    const rows = total.rowsOf(seen);
    if (ruling !== null) return { ruling, rows, met: [] };
    const facts: RequestFacts = {
      method,
      path,
      route,
      header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
      headerNames: () => Object.keys(headers),
      identity,
      override: () => null,
    };
    const met: MetRule[] = [];
    for (const matched of ruleset.match(facts)) {
      const { compiled, limit, cost } = matched;
      const rule = ruleOf(compiled);
      if (rule === undefined) continue;
      met.push({
        rule,
        rows: rule.tally.rowsOf(seen),
        check: { ruleId: compiled.id, role: compiled.mode === "enforce" ? "enforced" : "shadow" },
        limit,
        cost,
        takesTold: typeof compiled.rule.cost === "object" && "header" in compiled.rule.cost,
        ...bucketOf(matched, rule, identity),
      });
    }
    return { ruling, rows, met };
  }

  function forgetEncounters(): void {
    for (const ofClient of senders.values())
      for (const sender of ofClient) {
        sender.last = null;
        sender.lastKey = Number.NaN;
        sender.encounters.clear();
      }
    kept = 0;
  }

  return {
    /** Null when the sender's address is none. */
    of(request: BacktestRequest): Encounter | null {
      const sender = senderOf(request);
      if (sender === null) return null;
      const { headers } = request;
      const found = classOf(request.path, request.route);
      if (headers !== undefined && Object.keys(headers).length > 0)
        return meet(sender, found, request);
      const key = found.id * METHOD_BITS_MAX + methodBit(request.method);
      if (sender.lastKey === key && sender.last !== null) return sender.last;
      let encounter = sender.encounters.get(key);
      if (encounter === undefined) {
        if (kept >= KEPT_MAX) forgetEncounters();
        encounter = meet(sender, found, request);
        sender.encounters.set(key, encounter);
        kept += 1 + encounter.met.length;
      }
      sender.lastKey = key;
      sender.last = encounter;
      return encounter;
    },
    /** Forgets buckets that are full again, once there are many: those that waiting requests mean stay. */
    sweep(nowUs: number): void {
      if (buckets.size < sweepAt) return;
      forgetEncounters();
      const meant = new Set<number>();
      for (const { met } of waiting()) for (const { bucket } of met) meant.add(bucket);
      for (const [key, { bucket, asked }] of buckets) {
        // What is in a demand stays, else a client would be several there.
        if (asked >= 0 || cells.isKept(bucket, nowUs) || meant.has(bucket)) continue;
        buckets.delete(key);
        cells.remove(bucket);
      }
      sweepAt = Math.max(bucketsMax, 2 * buckets.size);
    },
  };
}

function identityOf(
  { client, plan, customer }: BacktestRequest,
  ip: IpAddress,
  { settings }: RulesetIndex,
): Identity {
  const authenticated = client.startsWith("key:");
  const ipClient = ipClientId(ip, settings.ipv6PrefixLength);
  return {
    client: authenticated ? client : ipClient,
    authenticated,
    customer: authenticated ? (customer ?? client.slice("key:".length)) : null,
    plan,
    ip,
    ipClient,
  };
}
