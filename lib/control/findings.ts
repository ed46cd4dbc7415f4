import type { LintFinding } from "@/lib/core/api/change";
import { lintContent } from "@/lib/core/lint";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import type { Control } from "./context";
import { measureFleet } from "./fleet";
import { listFindings } from "./list-findings";
import { overrideFindings } from "./override-findings";

/** What lint says of the content in this fleet: its size decides what is left of a limit without Redis, and its clients whom lists hold. */
export async function findingsOf(
  { clock }: Pick<Control, "clock">,
  reader: Reader,
  content: Content,
): Promise<LintFinding[]> {
  const nowMs = clock.nowMs();
  const { live, silent } = await measureFleet(reader, nowMs);
  return [
    ...lintContent(content, { gateways: live + silent }),
    ...(await listFindings(reader, content)),
    ...(await overrideFindings(reader, content, nowMs)),
  ];
}
