import type { z } from "zod";
import { DraftWriteQuerySchema } from "@/lib/core/api/draft";
import { parseInput } from "@/lib/core/parse";

/** What the caller saw of the object, from `?edit=&baseVersion=`. */
export function seenOf(
  query: z.input<typeof DraftWriteQuerySchema>,
): z.output<typeof DraftWriteQuerySchema> {
  return parseInput(DraftWriteQuerySchema, query, "the query");
}
