import type { z } from "zod";
import { DraftWriteQuerySchema } from "@/lib/core/api/draft";
import { parseInput } from "@/lib/core/parse";

/** The save that the caller last saw, from `?edit=`; undefined when it does not care. */
export function editOf(query: z.input<typeof DraftWriteQuerySchema>): number | undefined {
  return parseInput(DraftWriteQuerySchema, query, "the query").edit;
}
