import { formatCount, formatShare } from "@/components/ui/format";
import { durationWords } from "@/lib/core/duration";
import type { Guardrail } from "@/lib/core/guardrail";

type Known = {
  /** Ids of the plans that are marked protected. */
  protectedPlans: readonly string[];
  /** What shadow counted; null when nobody knows it yet. */
  predicted: { requests: number; rejections: number } | null;
};

/** What a guardrail does, in a sentence: `Taken back by itself if for 30s …`. */
export function guardrailSentence(guardrail: Guardrail | null, known: Known): string {
  if (guardrail === null)
    return "Nothing watches the change: the way back is Undo or Roll back, by hand.";
  const { action, forSeconds, watchSeconds } = guardrail;
  const bounds = boundWords(guardrail, known);
  if (bounds.length === 0) return "It has no bound that could be crossed: nothing is watched.";
  const what = action === "undo" ? "Taken back by itself" : "Held, with an alert,";
  return `${what} if for ${durationWords(forSeconds)} ${bounds.join(", or ")}. Watched for ${durationWords(watchSeconds)}.`;
}

function boundWords(
  { maxRejectedShare, timesPredicted, protectedPlans, minRequests }: Guardrail,
  known: Known,
): string[] {
  const words: string[] = [];
  const of = `of at least ${formatCount(minRequests)} requests`;
  if (maxRejectedShare !== null)
    words.push(`more than ${formatShare(maxRejectedShare)} ${of} are refused`);
  if (timesPredicted !== null) words.push(timesWords(timesPredicted, of, known));
  const plans = protectedPlans === true ? known.protectedPlans : protectedPlans || [];
  if (plans.length > 0) words.push(`any client on ${plans.join(" or ")} is refused`);
  return words;
}

function timesWords(times: number, of: string, { predicted }: Known): string {
  const bound = `more than ${times} × what shadow foretold`;
  if (predicted === null) return `${bound} ${of} is refused`;
  if (predicted.requests === 0)
    return `${bound} is refused (it foretold nothing, so this is not judged)`;
  // As the guardrail takes it: none seen is one of so many.
  const share = (times * Math.max(1, predicted.rejections)) / predicted.requests;
  if (share >= 1) return `${bound} is refused (that is all of them, so it is never crossed)`;
  return `${bound} (${formatShare(share)}) ${of} is refused`;
}
