import type { Rule } from "@/lib/core/rule";
import type { Body } from "@/lib/core/ruleset";
import type { LogClients } from "./log-clients";
import type { TapeFigures } from "./tape-source";

const NAMED_MAX = 5;

/** What a tape leaves open, a sentence each. */
export function tapeNotes(
  body: Body,
  { sample, isMixed, dropped, missingBlocks }: TapeFigures,
  routeless: number,
): string[] {
  const rules = judged(body);
  return [
    ...(sample < 10_000
      ? [
          `The tape has ${sample / 100} % of the clients, each with all its requests: figures are of these, not scaled up.`,
        ]
      : []),
    ...(isMixed
      ? [
          "The share of the clients was changed within this interval: only those that are on tape throughout are judged.",
        ]
      : []),
    ...(dropped > 0
      ? [
          `Gateways did not keep ${count(dropped)} requests of these clients, or could not send them.`,
        ]
      : []),
    ...(missingBlocks > 0 ? [`${count(missingBlocks)} blocks of the tape were lost.`] : []),
    ...headerNotes(rules, "the tape does not keep"),
    ...(routeless > 0 && rules.some(({ match }) => match.routes !== undefined)
      ? [
          `Of ${count(routeless)} requests no route fits, and the tape keeps no paths: rules that match by path may not meet them.`,
        ]
      : []),
  ];
}

/** What a log leaves open. */
export function logNotes(body: Body, { withKey, unknownKey }: LogClients["counts"]): string[] {
  return [
    withKey === 0
      ? "The log names no key that is known here: each address is a client on plan anonymous, so rules of keys and other plans meet nobody."
      : `${count(withKey)} requests name a key that is known here; the others count by their address, on plan anonymous.`,
    ...(unknownKey > 0 ? [`${count(unknownKey)} requests name a key that nobody has.`] : []),
    ...headerNotes(judged(body), "the log does not have"),
  ];
}

export function overrideNote(overrides: number): string[] {
  if (overrides === 0) return [];
  return [
    `Overrides are left out (${count(overrides)} in force): their clients are judged by plan.`,
  ];
}

function headerNotes(rules: readonly Rule[], lacks: string): string[] {
  const told = rules.filter(({ cost }) => typeof cost === "object" && "header" in cost);
  const matching = rules.filter(({ match }) => match.headers !== undefined);
  const counting = rules.filter(({ countBy }) =>
    countBy.some((part) => part.startsWith("header:")),
  );
  return [
    ...sentence(told, `by a header that ${lacks}: each request costs its default`, "cost"),
    ...sentence(matching, `headers that ${lacks}: they meet no request`, "match by"),
    ...sentence(counting, `a header that ${lacks}: they meet no request`, "count by"),
  ];
}

function sentence(rules: readonly Rule[], rest: string, verb: string): string[] {
  if (rules.length === 0) return [];
  const named = rules.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = rules.length > NAMED_MAX ? ` and ${rules.length - NAMED_MAX} more` : "";
  return [`Rules that ${verb} ${rest} (${named.join(", ")}${more}).`];
}

function judged({ rules }: Body): Rule[] {
  return rules
    .flatMap(({ live, candidate }) => [live?.rule, candidate?.rule])
    .filter((rule) => rule !== undefined)
    .filter(({ mode }) => mode !== "off");
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}
