import type { StatusTone } from "@/components/ui/status";
import { type AmountComparison, LOUD_FACTOR } from "@/lib/core/amount-compare";
import type { OverrideRow, OverrideState } from "@/lib/core/api/overrides";
import type { OverrideSubject } from "@/lib/core/override-subject";

export const STATE_WORDS: Record<OverrideState, { label: string; tone: StatusTone }> = {
  active: { label: "active", tone: "success" },
  ignored: { label: "ignored", tone: "warning" },
  expired: { label: "expired", tone: "neutral" },
  ended: { label: "ended", tone: "neutral" },
};

const SUBJECT_WORDS: Record<OverrideSubject, string> = {
  key: "a key",
  customer: "a customer",
  ip: "an address",
};

/** `for a key, a customer or an address` */
export function subjectsWords(subjects: readonly OverrideSubject[]): string {
  const words = subjects.map((subject) => SUBJECT_WORDS[subject]);
  if (words.length === 0) return "for nobody: its buckets are shared";
  const last = words.pop() ?? "";
  return `for ${words.length === 0 ? last : `${words.join(", ")} or ${last}`}`;
}

export type ChangeLook = { text: string; tone: "success" | "warning" | "danger"; isLoud: boolean };

/** `raises: 10 times looser`; null where nothing changes. */
export function changeLook(
  change: Pick<AmountComparison, "direction" | "words"> & { factor: number | null },
): ChangeLook | null {
  const { direction, factor, words } = change;
  const isLoud = (factor ?? Infinity) >= LOUD_FACTOR;
  switch (direction) {
    case "same":
      return null;
    case "looser":
      return { text: `raises: ${words}`, tone: "success", isLoud };
    case "stricter":
      return { text: `lowers: ${words}`, tone: "danger", isLoud };
    case "mixed":
      return { text: `changes: ${words}`, tone: "warning", isLoud };
  }
}

/** What stands where the plan's limit does when there is none to compare with. */
export function planGives({ planWords, state }: Pick<OverrideRow, "planWords" | "state">): string {
  if (planWords === "not matched") return "not matched";
  if (planWords !== "") return planWords;
  return state === "ignored" ? "not used" : "each key’s plan";
}
