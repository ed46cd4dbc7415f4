import type { BucketLimit } from "./bucket-limit";
import type { CountedMode, Lane } from "./counts";
import type { Identity } from "./identity";
import type { Amount, ShedderLimit } from "./limit";
import type { CompiledLists } from "./lists";
import type { OverrideSubject } from "./override-subject";
import type { Rule } from "./rule";
import type { Settings } from "./ruleset";
import type { VersionId } from "./version";

/** What matching may look at. `path` is canonical; header names are lower-case. */
export type RequestFacts = {
  method: string;
  path: string;
  /** The template that names the route, from `routeOf(path)`. */
  route: string;
  header(name: string): string | undefined;
  /** Every name that `header` has a value for; where it is left out, each name that rules ask for is tried. */
  headerNames?(): readonly string[];
  identity: Identity;
  /** Whether the headers come from a trusted hop; absent: they do not. */
  isPeerTrusted?: boolean;
  /** A live override for a rule, of the request's key, customer or address; null when there is none. */
  override(ruleId: string, subject: OverrideSubject): Amount | null;
  /** Told which of them decided an amount; one of another form than its rule's is passed over. */
  overrideUsed?(ruleId: string, subject: OverrideSubject): void;
};

/** One revision of a rule, ready to match. Off rules are not compiled. */
export type CompiledRule = {
  id: string;
  revision: number;
  slot: number;
  mode: CountedMode;
  lane: Lane;
  /** Whether the version has a candidate of this rule beside its live revision. */
  hasCandidate: boolean;
  rule: Rule;
};

/** A rule that applies to a request, and the bucket it means. */
export type MatchedRule = {
  compiled: CompiledRule;
  /** What the bucket is kept under: `key:<id>`, `customer:<id>`, `ip:...`, `plan:<id>`, `global`. */
  principal: string;
  /**
   * The further parts of a combination, each with its kind (`route:/v1/links/:id`, `header:x-tenant:acme`), in
   * one order whatever order countBy has; empty when the principal says all. Values may hold any character.
   */
  rest: readonly string[];
  limit: BucketLimit;
  cost: number;
};

/** A rule of kind fleet or worker. */
export type ShedderRule = { compiled: CompiledRule; limit: ShedderLimit };

export type ShedderIndex = {
  /** Ordered by id. */
  rules: readonly ShedderRule[];
  /** Those whose conditions hold, ordered by id. Preflights as in `RulesetIndex.match`. */
  match(facts: RequestFacts): ShedderRule[];
};

/** A version compiled for gateways. */
export type RulesetIndex = {
  id: VersionId;
  hash: string;
  settings: Settings;
  plans: ReadonlySet<string>;
  /** Asked before any rule. */
  lists: CompiledLists;
  /** What is compiled, ordered by id: every rule that is not off. */
  rules: readonly CompiledRule[];
  /** Asked after the lists and before `match`, which leaves them out; null when there are none. */
  shedders: ShedderIndex | null;
  /** The template a canonical path fits, `other` when none does. */
  routeOf(path: string): string;
  /**
   * Every rule that applies, ordered by rule id; unlimited ones (for this plan) are left out. Preflights meet
   * only rules that name OPTIONS, unless the settings say otherwise.
   */
  match(facts: RequestFacts): MatchedRule[];
};
