import { isEqual } from "@/lib/core/field-diff";
import type { Reader } from "@/lib/db/client";
import type { CandidateRamp } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";
import { type LoadedVersion, loadVersion } from "./live-version";
import { rampShare } from "./ramp-row";

const VERSIONS_READ = 50;

/** Whether the rule is still as the ramp's last step left it: live revision, candidate and share. */
export function isAsLeft({ body }: Pick<LoadedVersion, "body">, row: CandidateRamp): boolean {
  const entry = body.rules.find(({ id }) => id === row.ruleId);
  return (
    entry?.live?.revision === row.liveRevision &&
    entry.candidate?.revision === row.candidateRevision &&
    isEqual(entry.share ?? 0, rampShare(row))
  );
}

/** Who changed the rule since, and how it is said. */
export async function whoChanged(
  reader: Reader,
  live: LoadedVersion,
  row: CandidateRamp,
): Promise<{ why: string; isOwn: boolean }> {
  const versions = await reader.version.findMany({
    where: { number: { gt: row.checkedVersion, lte: live.version } },
    orderBy: { number: "asc" },
    take: VERSIONS_READ,
    select: { number: true, actor: true, message: true },
  });
  for (const { number, actor, message } of versions) {
    if (isAsLeft(await loadVersion(reader, number), row)) continue;
    const { type, id, name } = actorColumn(actor);
    const maker = actorColumn(row.actor);
    return {
      why: `${name} changed rule ${row.ruleId} in version ${number} (${message})`,
      isOwn: type === maker.type && id === maker.id,
    };
  }
  return { why: `rule ${row.ruleId} was changed since`, isOwn: false };
}
