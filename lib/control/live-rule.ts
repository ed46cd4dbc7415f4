import { AppError } from "@/lib/core/errors";
import type { Rule } from "@/lib/core/rule";
import type { LoadedVersion } from "./live-version";

/** Throws `not_found` when the live version does not have the rule. */
export function liveRule({ content, version }: LoadedVersion, id: string): Rule {
  const rule = content.rules.find((candidate) => candidate.id === id);
  if (rule !== undefined) return rule;
  throw new AppError("not_found", `there is no rule ${id} in the live version ${version}`);
}
