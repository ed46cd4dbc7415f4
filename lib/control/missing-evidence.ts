import type { MissingEvidence } from "@/lib/core/api/publish";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import type { Control } from "./context";
import type { LoadedVersion } from "./live-version";

export async function missingEvidence(
  _control: Pick<Control, "clock">,
  _reader: Reader,
  _change: { live: LoadedVersion; content: Content },
): Promise<MissingEvidence[]> {
  return [];
}
