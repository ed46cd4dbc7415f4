import { seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/lists/{name}", {
  PUT: ({ ctx, params, query, body }) =>
    putDraftItem(ctx, { kind: "lists", id: params.name, body, ...seenOf(query) }),
  DELETE: ({ ctx, params, query }) =>
    deleteDraftItem(ctx, { kind: "lists", id: params.name, ...seenOf(query) }),
});
