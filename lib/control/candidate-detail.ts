import type { CandidateDetail } from "@/lib/core/api/candidate";
import { isShared, shareWords } from "@/lib/core/candidate";
import { diffRule } from "@/lib/core/diff-rule";
import { AppError } from "@/lib/core/errors";
import { limitSentence } from "@/lib/core/limit-sentence";
import type { RuleEntry } from "@/lib/core/ruleset";
import type { Reader } from "@/lib/db/client";
import { candidateRun } from "@/lib/db/rule-history";
import { findCandidateRamp } from "./get-ramp";
import type { LoadedVersion } from "./live-version";

/** What is tried beside a live rule; null when nothing is. */
export async function candidateDetail(
  reader: Reader,
  { version }: Pick<LoadedVersion, "version">,
  entry: RuleEntry | undefined,
): Promise<CandidateDetail | null> {
  if (entry?.live === undefined || entry.candidate === undefined) return null;
  const { revision, slot, rule } = entry.candidate;
  const share = entry.share ?? 0;
  const run = await candidateRun(reader, { ruleId: entry.id, version });
  if (run === null) throw new AppError("internal", `no version holds the candidate of ${entry.id}`);
  return {
    revision,
    slot,
    share,
    shareWords: shareWords(share),
    isShared: isShared(share),
    rule,
    sentence: limitSentence(rule),
    diff: diffRule(entry.live.rule, rule),
    since: run.at.toISOString(),
    sinceVersion: run.since,
    by: run.actor,
    ramp: await findCandidateRamp(reader, { ruleId: entry.id, revision }),
  };
}
