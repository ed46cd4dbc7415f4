import type { z } from "zod";
import { AuditExportQuerySchema, type AuditRow } from "@/lib/core/api/audit";
import { csvLine } from "@/lib/core/csv";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { auditPage } from "./list-audit";
import { requirePermission } from "./permission";

const PAGE = 500;

const COLUMNS = [
  "id",
  "at",
  "actorType",
  "actorId",
  "actorName",
  "action",
  "kind",
  "objectId",
  "version",
  "sentence",
  "reason",
  "changes",
  "details",
];

type Export = { format: "csv" | "json"; chunks: AsyncGenerator<string> };

/**
 * Every row that fits, newest first, however many: read page by page while it is sent. A failure in between throws,
 * so that the transfer breaks off instead of looking whole. JSON is as it was written, CSV is safe for spreadsheets.
 */
export function exportAudit(ctx: Ctx, input: z.input<typeof AuditExportQuerySchema>): Export {
  requirePermission(ctx, "read");
  const { format, ...query } = parseInput(AuditExportQuerySchema, input, "the query");
  const rows = allRows(ctx, query);
  return { format, chunks: format === "csv" ? csvOf(rows) : jsonOf(rows) };
}

type Filters = Omit<z.output<typeof AuditExportQuerySchema>, "format">;

async function* allRows(ctx: Ctx, query: Filters): AsyncGenerator<AuditRow[]> {
  let cursor: string | undefined;
  do {
    const page = await auditPage(ctx.db, {
      ...query,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

async function* csvOf(pages: AsyncGenerator<AuditRow[]>): AsyncGenerator<string> {
  // The mark by which Excel knows UTF-8.
  yield `\uFEFF${csvLine(COLUMNS)}`;
  for await (const rows of pages) yield rows.map((row) => csvLine(cellsOf(row))).join("");
}

async function* jsonOf(pages: AsyncGenerator<AuditRow[]>): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const rows of pages) {
    for (const row of rows) {
      yield `${separator}${JSON.stringify(row)}`;
      separator = ",\n";
    }
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

function cellsOf(row: AuditRow): (string | number | null)[] {
  const { actor, details, diff } = row;
  return [
    row.id,
    row.at,
    actor.type,
    actor.id,
    actor.name,
    row.action,
    row.kind,
    row.objectId,
    row.version,
    row.sentence,
    row.reason,
    diff.map(({ sentence }) => sentence).join("; "),
    Object.keys(details).length === 0 ? "" : JSON.stringify(details),
  ];
}
