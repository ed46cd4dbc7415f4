import type { RuleOutcome } from "./check";
import { type HeaderField, retryAfterSeconds, structuredString } from "./headers";
import type { Settings } from "./ruleset";

export const WARNING_HEADER = "X-RateLimit-Warning";
const EXPOSE = "Access-Control-Expose-Headers";

type Warned = Pick<RuleOutcome, "ruleId" | "resetMs" | "retryAfterMs">;

/**
 * The fields of an answer that passed, with what rules that warn would have refused: a list of RFC 9651, a string with
 * the rule's id for each, `t` the whole seconds after which it would pass; without `t` where waiting does not help.
 */
export function withWarning(
  fields: readonly HeaderField[],
  warned: readonly Warned[],
  { expose }: Pick<Settings["headers"], "expose">,
): readonly HeaderField[] {
  if (warned.length === 0) return fields;
  const warning: HeaderField = [WARNING_HEADER, warned.map(memberOf).join(", ")];
  if (!expose) return [...fields, warning];
  const exposed = fields.filter(([name]) => name === EXPOSE).map(([, names]) => names);
  const others = fields.filter(([name]) => name !== EXPOSE);
  return [...others, warning, [EXPOSE, [...exposed, WARNING_HEADER].join(", ")]];
}

function memberOf(outcome: Warned): string {
  const wait = retryAfterSeconds(outcome);
  const seconds = wait === null ? "" : `;t=${wait}`;
  return `${structuredString(outcome.ruleId)};would-reject${seconds}`;
}
