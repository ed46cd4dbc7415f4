import type { CountedMode, Lane } from "@/lib/core/counts";
import { AppError } from "@/lib/core/errors";
import { listOfRule } from "@/lib/core/own-rules";
import { ModeSchema, type Rule, RuleSchema } from "@/lib/core/rule";
import type { Settings } from "@/lib/core/ruleset";
import type { Reader } from "@/lib/db/client";
import { getLive } from "./live-version";

export type ReportedRule = {
  /** What it counts now; a rule that is off would be watched in shadow. */
  mode: CountedMode;
  /** Null for a rule that is not live. */
  revision: number | null;
  bounds: Settings["evidence"];
};

/** A rule that has, or once had, something to report. Throws `not_found` for one that never was. */
export async function reportedRule(reader: Reader, id: string): Promise<ReportedRule> {
  const { body } = await getLive(reader);
  const bounds = body.settings.evidence;
  if (listOfRule(id) !== null) return { mode: "enforce", revision: null, bounds };
  const live = body.rules.find((entry) => entry.id === id)?.live;
  if (live !== undefined)
    return { mode: countedMode(live.rule.mode), revision: live.revision, bounds };
  const last = await reader.revision.findFirst({
    where: { kind: "rule", objectId: id },
    orderBy: { n: "desc" },
    select: { body: true },
  });
  if (last === null) throw new AppError("not_found", `there is no rule ${id}, and never was`);
  const mode = ModeSchema.safeParse(Object(last.body).mode);
  return { mode: countedMode(mode.success ? mode.data : "off"), revision: null, bounds };
}

type Shown = { id: string; revision: number | null; lane: Lane };

/**
 * The rule whose limit a report speaks of: the asked revision, else that of its lane, else its last one. Null for a list, and for
 * what this program cannot read.
 */
export async function shownRule(
  reader: Reader,
  { id, revision, lane }: Shown,
): Promise<Rule | null> {
  if (listOfRule(id) !== null) return null;
  const { body } = await getLive(reader);
  const live = body.rules.find((entry) => entry.id === id)?.[lane];
  if (live !== undefined && (revision === null || live.revision === revision)) return live.rule;
  const stored = await reader.revision.findFirst({
    where: { kind: "rule", objectId: id, ...(revision === null ? {} : { n: revision }) },
    orderBy: { n: "desc" },
    select: { body: true },
  });
  return RuleSchema.safeParse(stored?.body).data ?? null;
}

export function countedMode(mode: "off" | CountedMode): CountedMode {
  return mode === "enforce" ? "enforce" : "shadow";
}
