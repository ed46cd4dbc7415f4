import type { Rule } from "@/lib/core/rule";
import type { Tx } from "@/lib/db/client";
import { loadVersion } from "./live-version";
import type { Base } from "./stale-base";

type Expected = {
  expectVersion: number | undefined;
  ruleId: string;
  /** What the caller makes of the rule that it saw. */
  change(rule: Rule): Rule;
};

/** The base of a one-click change: what the caller looked at, if it said so, and what it makes of it. */
export async function editOfExpected(
  tx: Tx,
  { expectVersion, ruleId, change }: Expected,
): Promise<Base> {
  if (expectVersion === undefined) return { versions: [], edits: [] };
  const exists = await tx.version.count({ where: { number: expectVersion } });
  if (exists === 0) return { versions: [expectVersion], edits: [] };
  const seen = await loadVersion(tx, expectVersion);
  const rule = seen.content.rules.find(({ id }) => id === ruleId);
  if (rule === undefined) return { versions: [expectVersion], edits: [] };
  const object = { kind: "rule" as const, id: ruleId, body: change(rule) };
  return {
    versions: [expectVersion],
    edits: [{ op: "put", kind: "rule", id: ruleId, object }],
  };
}
