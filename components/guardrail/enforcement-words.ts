import { formatMs } from "@/components/ui/format";
import type { StatusTone } from "@/components/ui/status";
import type { Enforcement } from "@/lib/core/api/enforcement";

type Told = { tone: StatusTone; word: string; sentence: string };

/** Where the watch of a change stands: a word, and a sentence that says why. */
export function enforcementWords(enforcement: Enforcement): Told {
  const { state, heldFor, outcome, judgement, guardrail, version } = enforcement;
  const why = judgement?.why.join("; ") ?? "";
  switch (state) {
    case "watching":
      return watchingWords(enforcement);
    case "held":
      return heldFor === "data"
        ? {
            tone: "warning",
            word: "held: data is missing",
            sentence: `Nobody can say how it fares: ${why}. Such time is not counted as watched; it goes on by itself when the data comes.`,
          }
        : {
            tone: "danger",
            word: "held: a bound is crossed",
            sentence: `It stays enforced until somebody acts: ${why}.`,
          };
    case "undone":
      return {
        tone: "danger",
        word: "taken back by its guardrail",
        sentence: `With nobody's hand: ${outcome ?? `the change of v${version} was taken back`}.`,
      };
    case "passed":
      return { tone: "success", word: "passed", sentence: `${capital(outcome ?? "it passed")}.` };
    case "ended":
      return guardrail === null
        ? {
            tone: "neutral",
            word: "not watched",
            sentence: `No guardrail was wanted for v${version}: the way back is by hand.`,
          }
        : {
            tone: "neutral",
            word: "no longer watched",
            sentence: `${capital(outcome ?? "the watch has ended")}.`,
          };
  }
}

function watchingWords({ judgement, guardrail, version }: Enforcement): Told {
  const isUndo = guardrail?.action === "undo";
  if (judgement === null)
    return {
      tone: "pending",
      word: "watched",
      sentence: `v${version} was not looked at yet: the worker does so each few seconds.`,
    };
  const why = judgement.why.join("; ");
  if (judgement.crossedSince !== null && judgement.verdict !== "within") {
    const forMs = Date.parse(judgement.at) - Date.parse(judgement.crossedSince);
    const since = forMs < 1000 ? "Now" : `For ${formatMs(forMs)}`;
    const next = isUndo ? "taken back" : "held, with an alert,";
    return {
      tone: "danger",
      word: "a bound is crossed",
      sentence: `${since}: ${why}. After ${guardrail?.forSeconds ?? 0} s it is ${next} by itself.`,
    };
  }
  if (judgement.verdict === "waiting")
    return { tone: "pending", word: "watched", sentence: `Too early to judge: ${why}.` };
  return { tone: "success", word: "watched, within bounds", sentence: "No bound is crossed." };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
