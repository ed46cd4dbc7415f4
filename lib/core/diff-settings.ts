import type { FieldDiff } from "./api/change";
import { fieldDiff, isEqual, leafDiffs } from "./field-diff";
import type { Settings } from "./ruleset";

/** Loud where clients may be told apart otherwise than before: then nobody's count goes on for certain. */
export function diffSettings(before: Settings, after: Settings): FieldDiff[] {
  const { identity: was, guardrail: watched, ...old } = before;
  const { identity: is, guardrail: watches, ...now } = after;
  const identity: FieldDiff[] = [];
  const differs = (field: keyof Settings["identity"], sentence: string) => {
    if (isEqual(was[field], is[field])) return;
    identity.push(
      fieldDiff(`identity.${field}`, [was[field], is[field]], sentence, { loud: true }),
    );
  };
  differs("keyHeaders", `keys are read from ${keyWords(was)} → ${keyWords(is)}`);
  differs("trustedHeader", `trusted hops name clients in ${nameWords(was)} → ${nameWords(is)}`);
  differs("addressHeader", `addresses are read from ${was.addressHeader} → ${is.addressHeader}`);
  return [...identity, ...guardrailDiffs(watched, watches), ...leafDiffs(old, now)];
}

/** Loud where nothing watches any more. */
function guardrailDiffs(before: Settings["guardrail"], after: Settings["guardrail"]): FieldDiff[] {
  if (before !== null && after !== null) return leafDiffs(before, after, "guardrail");
  if (before === after) return [];
  const words = (guardrail: Settings["guardrail"]) =>
    guardrail === null
      ? "nothing"
      : `a guardrail that would ${guardrail.action === "undo" ? "take it back" : "alert"}`;
  const sentence = `what is enforced is watched by ${words(before)} → ${words(after)}`;
  return [fieldDiff("guardrail", [before, after], sentence, { loud: after === null })];
}

function keyWords({ keyHeaders }: Settings["identity"]): string {
  return keyHeaders.length === 0 ? "no header" : keyHeaders.join(", then ");
}

function nameWords({ trustedHeader }: Settings["identity"]): string {
  return trustedHeader ?? "no header";
}
