import type { LintFinding } from "@/lib/core/api/change";
import { LIST_NAMES, listSubject } from "@/lib/core/list-entry";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";

type Named = { list: string; path: string; kind: string; id: string; value: string };

/** Entries of keys and customers that nobody has: a slip of the pen would hold nobody, and say nothing. */
export async function listFindings(reader: Reader, { lists }: Content): Promise<LintFinding[]> {
  const named = LIST_NAMES.flatMap((list) =>
    lists[list].flatMap(({ value }, i): Named[] => {
      const subject = listSubject(value);
      if (subject === null || subject.kind === "ip") return [];
      return [{ list, path: `${i}.value`, kind: subject.kind, id: subject.id, value }];
    }),
  );
  const idsOf = (kind: string) => named.filter((one) => one.kind === kind).map(({ id }) => id);
  const [keys, customers] = await Promise.all([
    known(idsOf("key"), (id) => reader.apiKey.findMany({ where: { id }, select: { id: true } })),
    known(idsOf("customer"), (id) =>
      reader.customer.findMany({ where: { id }, select: { id: true } }),
    ),
  ]);
  return named
    .filter(({ kind, id }) => !(kind === "key" ? keys : customers).has(id))
    .map(({ list, path, kind, id, value }) => ({
      level: "warning",
      code: "unknown-client",
      kind: "lists",
      id: list,
      path,
      message: `${value} holds nobody: there is no ${kind} ${id}`,
    }));
}

async function known(
  ids: string[],
  find: (id: { in: string[] }) => PromiseLike<{ id: string }[]>,
): Promise<Set<string>> {
  const rows = ids.length === 0 ? [] : await find({ in: ids });
  return new Set(rows.map(({ id }) => id));
}
