import { compileRuleset } from "@/lib/core/compile-ruleset";
import { ipClientId, parseIp } from "@/lib/core/ip";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import { type Body, BodySchema } from "@/lib/core/ruleset";
import type { RequestFacts, RulesetIndex } from "@/lib/core/ruleset-index";
import { type Figure, figure } from "./figure";

const REQUESTS = 2_000;
/** Passes over the requests that one timing spans, some 20 ms. */
const PASSES = 4;
const ROUNDS = 60;
const EVERYWHERE = 300;
const COMMON = 5;

type Match = Partial<Rule["match"]>;

/** What tells the i-th rule on every route from the others, and how many of them a request of the bench meets. */
const SHAPES: Record<string, { matchOf: (i: number) => Match; met: number }> = {
  mixed: { matchOf: (i) => [planOf, rangeOf, headerOf][i % 3]?.(i) ?? {}, met: 3 },
  plans: { matchOf: planOf, met: 1 },
  addresses: { matchOf: rangeOf, met: 1 },
  headers: { matchOf: headerOf, met: 1 },
  "header-names": { matchOf: headerNameOf, met: 1 },
  "plan-and-address": { matchOf: planAndRangeOf, met: 1 },
};

/** What finding the rules of a request costs: 1,000 rules, 300 of them on every route, against 10, as many matching. */
export async function benchMatch(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [shape, { matchOf, met }] of Object.entries(SHAPES)) {
    const facts = requests(shape);
    const many = indexOf(manyRules(matchOf));
    const few = indexOf([...common(), ...broad(met), ...elsewhere(10 - COMMON - met)]);
    const { manyMicros, fewMicros } = compare({ many, few, facts, matching: COMMON + met });
    figures.push(
      figure(`match.${shape}.1000-rules`, manyMicros, "µs"),
      figure(`match.${shape}.10-rules`, fewMicros, "µs"),
      figure(`match.${shape}.ratio-1000-to-10`, manyMicros / fewMicros, "x", { atMost: 1.5 }),
    );
  }
  return [...figures, ...publishFigures()];
}

function manyRules(matchOf: (i: number) => Match): Rule[] {
  const everywhere = Array.from({ length: EVERYWHERE }, (_, i) => {
    const routes = i % 2 === 0 ? { routes: ["/**"] } : {};
    return rule(`every-${i}`, { match: { ...routes, ...matchOf(i) } });
  });
  return [...common(), ...everywhere, ...elsewhere(1_000 - COMMON - EVERYWHERE)];
}

/** The rules that every request of the bench meets, on both sides. */
function common(): Rule[] {
  return [
    rule("all-per-client", { countBy: ["client"] }),
    rule("all-per-ip", { countBy: ["ip"], match: { routes: ["/**"] } }),
    rule("all-per-route", { countBy: ["client", "route"], match: { routes: ["/v1/**"] } }),
    rule("all-reads", { countBy: ["client"], match: { methods: ["GET"] } }),
    rule("all-keyed", { countBy: ["apiKey"], match: { authenticated: true } }),
  ];
}

/** In place of the rules on every route that a request meets among the 1,000, so that both sides match as many. */
function broad(count: number): Rule[] {
  const matches: Match[] = [
    { ips: ["10.0.0.0/7"] },
    { headers: { "x-tenant": [] } },
    { authenticated: true },
  ];
  return matches.slice(0, count).map((match, i) => rule(`broad-${i}`, { match }));
}

/** Rules on routes of their own, which no request of the bench asks for. */
function elsewhere(count: number): Rule[] {
  const glob = [
    (i: number) => `/v1/res${i}`,
    (i: number) => `/v1/res${i}/**`,
    (i: number) => `/v1/res${i}/:id`,
    (i: number) => `/v1/*/op${i}`,
    (i: number) => `/**/tail${i}`,
  ];
  return Array.from({ length: count }, (_, i) =>
    rule(`route-${i}`, { match: { routes: [glob[i % glob.length]?.(i) ?? "/"] } }),
  );
}

function planOf(i: number): Match {
  return { plans: [`plan-${i}`] };
}

/** A network of its own for each, of nine lengths. */
function rangeOf(i: number): Match {
  return { ips: [`${networkOf(i)}.0.0/${16 + (i % 9)}`] };
}

function headerOf(i: number): Match {
  return { headers: { "x-tenant": [`tenant-${i}`] } };
}

function headerNameOf(i: number): Match {
  return { headers: { [`x-feature-${i}`]: [] } };
}

function planAndRangeOf(i: number): Match {
  return { plans: [`plan-${i % 17}`], ips: [`${networkOf(Math.floor(i / 17))}.0.0/16`] };
}

function networkOf(i: number): string {
  return `${10 + (i >> 8)}.${i & 255}`;
}

type RuleFields = { match?: Match; countBy?: string[] };

function rule(id: string, { match = {}, countBy = ["client"] }: RuleFields): Rule {
  const amount = { rate: 600, per: "1m", burst: 600 };
  const limit = { kind: "rate", algorithm: "token-bucket", default: amount };
  return RuleSchema.parse({ id, name: id, match, countBy, limit, mode: "enforce" });
}

const at = { epoch: 1, version: 1, hash: "bench" };

function bodyOf(rules: readonly Rule[]): Body {
  return BodySchema.parse({
    plans: [{ id: "free", name: "Free", rank: 0 }],
    rules: rules.map((each, i) => ({
      id: each.id,
      live: { revision: 1, slot: i + 1, rule: each },
    })),
  });
}

function indexOf(rules: readonly Rule[]): RulesetIndex {
  return compileRuleset(bodyOf(rules), at);
}

/** Reads by keyed clients, a client, path, plan, address and header value each. */
function requests(shape: string): RequestFacts[] {
  return Array.from({ length: REQUESTS }, (_, i) => {
    const nth = i % EVERYWHERE;
    // Of the mixed rules every third is of one kind.
    const [plan, network, tenant] =
      shape === "mixed"
        ? [nth - (nth % 3), nth - (nth % 3) + 1, nth - (nth % 3) + 2]
        : shape === "plan-and-address"
          ? [nth % 17, Math.floor(nth / 17), nth]
          : [nth, nth, nth];
    const ip = parseIp(`${networkOf(network)}.0.${i % 250}`);
    if (ip === null) throw new Error("no address");
    const headers: Record<string, string> = {
      host: "api.example.test",
      accept: "application/json",
      "accept-encoding": "gzip, br",
      authorization: "Bearer key",
      "content-type": "application/json",
      "user-agent": "bench/1",
      "x-request-id": `request-${i}`,
      "x-tenant": `tenant-${tenant}`,
      [`x-feature-${nth}`]: "on",
    };
    return {
      method: "GET",
      path: `/v1/links/${i}`,
      route: "/v1/links/:id",
      header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
      headerNames: () => Object.keys(headers),
      identity: {
        client: `key:k${i}`,
        authenticated: true,
        customer: `c${i}`,
        plan: `plan-${plan}`,
        ip,
        ipClient: ipClientId(ip, 64),
      },
      override: () => null,
    };
  });
}

type Comparison = {
  many: RulesetIndex;
  few: RulesetIndex;
  facts: readonly RequestFacts[];
  matching: number;
};

/** In turns within one run; the best of each counts: the others say more about who else used the machine. */
function compare({ many, few, facts, matching }: Comparison) {
  const micros = (index: RulesetIndex) => {
    let matched = 0;
    const startMs = performance.now();
    for (let pass = 0; pass < PASSES; pass += 1)
      for (const each of facts) matched += index.match(each).length;
    const tookMs = performance.now() - startMs;
    const checks = facts.length * PASSES;
    if (matched !== matching * checks)
      throw new Error(`${matched / checks} rules match a request, ${matching} should`);
    return (tookMs * 1000) / checks;
  };
  let manyMicros = Number.POSITIVE_INFINITY;
  let fewMicros = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    manyMicros = Math.min(manyMicros, micros(many));
    fewMicros = Math.min(fewMicros, micros(few));
  }
  return { manyMicros, fewMicros };
}

/** What a gateway does when a version arrives: all rules new, and one of 1,000 changed. */
function publishFigures(): Figure[] {
  const body = bodyOf(manyRules(SHAPES.mixed?.matchOf ?? planOf));
  const best = (run: () => void) => {
    let ms = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 10; i += 1) {
      const startMs = performance.now();
      run();
      ms = Math.min(ms, performance.now() - startMs);
    }
    return ms;
  };
  const firstStartMs = performance.now();
  const first = compileRuleset(body, at);
  const coldMs = performance.now() - firstStartMs;
  const changed = structuredClone(body);
  const live = changed.rules[0]?.live;
  if (live !== undefined) live.revision = 2;
  return [
    figure("match.compile.1000-rules.first", coldMs, "ms"),
    figure(
      "match.compile.1000-rules",
      best(() => compileRuleset(body, at)),
      "ms",
      { atMost: 20 },
    ),
    figure(
      "match.compile.one-changed",
      best(() => compileRuleset(changed, { ...at, version: 2 }, first)),
      "ms",
      { atMost: 20 },
    ),
  ];
}
