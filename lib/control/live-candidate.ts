import type { Candidate } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import type { LoadedVersion } from "./live-version";

/** Throws `not_found` when nothing is tried beside the rule. */
export function liveCandidate({ content, version }: LoadedVersion, id: string): Candidate {
  const candidate = content.candidates.find((each) => each.id === id);
  if (candidate !== undefined) return candidate;
  throw new AppError("not_found", `rule ${id} has no candidate in the live version ${version}`);
}
