import type { z } from "zod";
import { ReportExportQuerySchema } from "@/lib/core/api/report-export";
import { parseInput } from "@/lib/core/parse";
import { reportCsv } from "@/lib/core/report-csv";
import type { Ctx } from "./context";
import { getRuleReport } from "./get-rule-report";
import { requirePermission } from "./permission";

type Export = { format: "csv" | "json"; chunks: AsyncGenerator<string> };

/** A rule's report as a file. JSON is what the API answers; CSV is one table of all its figures, safe for spreadsheets. */
export function exportReport(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof ReportExportQuerySchema>,
): Export {
  requirePermission(ctx, "read");
  const { format, ...query } = parseInput(ReportExportQuerySchema, input, "the report's query");
  return { format, chunks: chunksOf(ctx, { id, ...query }, format) };
}

async function* chunksOf(
  ctx: Ctx,
  query: Parameters<typeof getRuleReport>[1],
  format: Export["format"],
): AsyncGenerator<string> {
  const report = await getRuleReport(ctx, query);
  yield format === "csv" ? reportCsv(report) : `${JSON.stringify(report, null, 2)}\n`;
}
