import type { FieldDiff } from "./api/change";
import { fieldDiff, isEqual, leafDiffs } from "./field-diff";
import type { Settings } from "./ruleset";

/** Loud where clients may be told apart otherwise than before: then nobody's count goes on for certain. */
export function diffSettings(before: Settings, after: Settings): FieldDiff[] {
  const { identity: was, ...old } = before;
  const { identity: is, ...now } = after;
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
  return [...identity, ...leafDiffs(old, now)];
}

function keyWords({ keyHeaders }: Settings["identity"]): string {
  return keyHeaders.length === 0 ? "no header" : keyHeaders.join(", then ");
}

function nameWords({ trustedHeader }: Settings["identity"]): string {
  return trustedHeader ?? "no header";
}
