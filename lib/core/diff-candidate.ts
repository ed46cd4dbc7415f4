import type { FieldDiff } from "./api/change";
import { type Candidate, isShared, type Share, shareOfPlan, shareWords } from "./candidate";
import { diffRule } from "./diff-rule";
import { fieldDiff, isEqual } from "./field-diff";
import { limitSentence } from "./limit-sentence";

/** What differs between two states of a rule's candidate: its share first, then its rule. */
export function candidateDiffs(before: Candidate, after: Candidate): FieldDiff[] {
  return [
    ...shareDiff(before.share, after.share),
    ...diffRule(before.rule, after.rule).map((diff) => ({ ...diff, path: `rule.${diff.path}` })),
  ];
}

/** A candidate that was not there before. */
export function candidateWords({ id, rule, share }: Candidate): {
  sentence: string;
  loud: boolean;
} {
  const loud = isShared(share);
  const how = loud ? `enforced for ${shareWords(share)}` : "in shadow";
  return { sentence: `tries a candidate of rule ${id} ${how}: ${limitSentence(rule)}`, loud };
}

function shareDiff(before: Share, after: Share): FieldDiff[] {
  if (isEqual(before, after)) return [];
  const plans = [...new Set([before, after].flatMap((share) => Object.keys(Object(share))))];
  // "" stands for every plan that neither names.
  const moves = ["", ...plans].map((plan) => shareOfPlan(after, plan) - shareOfPlan(before, plan));
  const isUp = moves.some((move) => move > 0);
  const words = [before, after].map(shareWords);
  const sentence =
    words[0] === words[1]
      ? `share: ${words[0]}, written in another way`
      : `enforced for ${words.join(" → ")}`;
  return [fieldDiff("share", [before, after], sentence, { direction: "other", loud: isUp })];
}
