import type { IncomingMessage } from "node:http";
import type { HeaderField } from "@/lib/core/headers";
import { endToEndFields } from "./hop-by-hop";

/** What a limiter behind us may say of its own limits, in any of the drafts. */
const LIMIT_FIELDS = [
  "ratelimit",
  "ratelimit-limit",
  "ratelimit-policy",
  "ratelimit-remaining",
  "ratelimit-reset",
  "x-ratelimit-limit",
  "x-ratelimit-policy",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
];
const OWN = new Set(["x-request-id"]);
const OWN_AND_LIMITS = new Set([...OWN, ...LIMIT_FIELDS]);
const EXPOSE = "access-control-expose-headers";

type Input = {
  answer: IncomingMessage;
  status: number;
  fields: readonly HeaderField[];
  ownsLimits: boolean;
};

/**
 * The head of a proxied answer, one of each rate-limit field. Where an enforced rule matched they are ours, but
 * a 429 of the upstream's keeps what it says of itself: two limits in one answer would contradict each other.
 */
export function responseFields({ answer, status, fields, ownsLimits }: Input): string[] {
  const connection = answer.headers.connection;
  const isUpstreamRefusal = status === 429;
  const replaces = ownsLimits && !isUpstreamRefusal;
  const ours = replaces ? fields : fields.filter(([name]) => !isLimitField(name));
  const drop = replaces ? OWN_AND_LIMITS : OWN;
  const exposed = exposedOf(fields, replaces);
  const theirs = endToEndFields(answer.rawHeaders, { connection, drop });
  if (exposed === undefined) return [...theirs, ...ours.flat()];
  const rest = ours.filter(([name]) => name.toLowerCase() !== EXPOSE);
  return [...withExposed(theirs, exposed), ...rest.flat()];
}

/** The names that we expose, of fields that are in the answer; undefined when there are none. */
function exposedOf(fields: readonly HeaderField[], withLimits: boolean): string | undefined {
  const names = fields.find(([name]) => name.toLowerCase() === EXPOSE)?.[1];
  if (names === undefined || withLimits) return names;
  const others = names.split(", ").filter((name) => !isLimitField(name));
  return others.length === 0 ? undefined : others.join(", ");
}

function isLimitField(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === EXPOSE || LIMIT_FIELDS.includes(lower);
}

/** Our names added to the upstream's list, in one field. */
function withExposed(fields: readonly string[], exposed: string): string[] {
  const names: string[] = [];
  const others: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? "";
    const value = fields[i + 1] ?? "";
    if (name.toLowerCase() === EXPOSE) names.push(...value.split(","));
    else others.push(name, value);
  }
  const unique = new Map<string, string>();
  for (const name of [...names, ...exposed.split(",")].map((text) => text.trim()))
    if (name !== "" && !unique.has(name.toLowerCase())) unique.set(name.toLowerCase(), name);
  return [...others, "Access-Control-Expose-Headers", [...unique.values()].join(", ")];
}
