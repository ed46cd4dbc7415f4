import type { Tx } from "./client";

/**
 * The slot of each counting definition, made where it is new. Under the installation's lock, so that looking
 * first is enough and the sequence is not used up by conflicts.
 */
export async function slotsFor(
  tx: Tx,
  wanted: readonly { ruleId: string; countingHash: string }[],
): Promise<number[]> {
  if (wanted.length === 0) return [];
  const find = async () => {
    const rows = await tx.slot.findMany({
      where: { ruleId: { in: [...new Set(wanted.map(({ ruleId }) => ruleId))] } },
    });
    return new Map(rows.map((row) => [nameOf(row), Number(row.slot)]));
  };
  let known = await find();
  const absent = wanted.filter((want) => !known.has(nameOf(want)));
  if (absent.length > 0) {
    await tx.slot.createMany({
      data: absent.map(({ ruleId, countingHash }) => ({ ruleId, countingHash })),
    });
    known = await find();
  }
  return wanted.map((want) => {
    const slot = known.get(nameOf(want));
    if (slot === undefined) throw new Error(`no slot was made for ${want.ruleId}`);
    return slot;
  });
}

function nameOf({ ruleId, countingHash }: { ruleId: string; countingHash: string }): string {
  return `${ruleId} ${countingHash}`;
}
