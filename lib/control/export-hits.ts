import type { z } from "zod";
import type { HitRow } from "@/lib/core/api/hits";
import { HitsExportQuerySchema } from "@/lib/core/api/report-export";
import { csvLine } from "@/lib/core/csv";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { hitPage, hitSampling, hitSearch } from "./list-hits";
import { requirePermission } from "./permission";

const PAGE = 500;

const COLUMNS = [
  "at",
  "requestId",
  "client",
  "plan",
  "method",
  "route",
  "mode",
  "lane",
  "retryAfterSeconds",
  "gateway",
  "version",
  "revision",
] as const satisfies readonly (keyof HitRow)[];

type Query = z.output<typeof HitsExportQuerySchema>;
type Export = { format: Query["format"]; chunks: AsyncGenerator<string> };

/**
 * Every hit of the log that fits, newest first: read page by page while it is sent. A failure in between throws, so that
 * the transfer breaks off instead of looking whole. JSON says how much of the truth the log is, CSV is safe for spreadsheets.
 */
export function exportHits(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof HitsExportQuerySchema>,
): Export {
  requirePermission(ctx, "read");
  const { format, ...query } = parseInput(HitsExportQuerySchema, input, "the query");
  return { format, chunks: format === "csv" ? csvOf(ctx, id, query) : jsonOf(ctx, id, query) };
}

type Search = Awaited<ReturnType<typeof hitSearch>>;

async function* pagesOf(ctx: Ctx, search: Search): AsyncGenerator<HitRow[]> {
  let cursor: string | undefined;
  do {
    const page = await hitPage(ctx, search, { limit: PAGE, cursor });
    yield page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

async function* csvOf(ctx: Ctx, id: string, query: Omit<Query, "format">): AsyncGenerator<string> {
  const search = await hitSearch(ctx, id, query);
  // The mark by which Excel knows UTF-8.
  yield `\uFEFF${csvLine(COLUMNS)}`;
  for await (const rows of pagesOf(ctx, search))
    yield rows.map((row) => csvLine(COLUMNS.map((column) => row[column]))).join("");
}

async function* jsonOf(ctx: Ctx, id: string, query: Omit<Query, "format">): AsyncGenerator<string> {
  const search = await hitSearch(ctx, id, query);
  yield `{"sampling":${JSON.stringify(await hitSampling(ctx, search))},"items":[`;
  let separator = "\n";
  for await (const rows of pagesOf(ctx, search)) {
    for (const row of rows) {
      yield `${separator}${JSON.stringify(row)}`;
      separator = ",\n";
    }
  }
  yield "\n]}\n";
}
