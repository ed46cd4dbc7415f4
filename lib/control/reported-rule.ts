import type { CountedMode } from "@/lib/core/counts";
import { AppError } from "@/lib/core/errors";
import { listOfRule } from "@/lib/core/own-rules";
import { ModeSchema } from "@/lib/core/rule";
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

export function countedMode(mode: "off" | CountedMode): CountedMode {
  return mode === "enforce" ? "enforce" : "shadow";
}
