import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { type Ctx, getDraftItem } from "@/lib/control";
import { DraftWriteQuerySchema } from "@/lib/core/api/draft";
import { parseInput } from "@/lib/core/parse";
import { taggedResponse } from "./respond";

type Seen = z.output<typeof DraftWriteQuerySchema> & {
  ifMatch?: string[];
  isNew?: boolean;
};

/** What the caller saw of the object, from `?edit=&baseVersion=`, If-Match and `If-None-Match: *`. */
export function seenOf(query: z.input<typeof DraftWriteQuerySchema>, { headers }: Request): Seen {
  const ifMatch = headers.get("if-match");
  return {
    ...parseInput(DraftWriteQuerySchema, query, "the query"),
    ...(ifMatch !== null && { ifMatch: ifMatch.split(",").map((tag) => tag.trim()) }),
    ...(headers.get("if-none-match")?.trim() === "*" && { isNew: true }),
  };
}

/** GET of one object of the draft, with the tag that If-Match takes. */
export async function answerDraftItem(
  ctx: Ctx,
  request: Request,
  item: Parameters<typeof getDraftItem>[1],
): Promise<Response> {
  const { object, tag } = await getDraftItem(ctx, item);
  return taggedResponse(object, { request, status: 200, requestId: randomUUID(), etag: tag });
}
