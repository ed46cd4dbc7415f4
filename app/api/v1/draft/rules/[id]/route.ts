import { seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/rules/{id}", {
  PUT: ({ ctx, params, query, body }) =>
    putDraftItem(ctx, { kind: "rule", id: params.id, body, ...seenOf(query) }),
  DELETE: ({ ctx, params, query }) =>
    deleteDraftItem(ctx, { kind: "rule", id: params.id, ...seenOf(query) }),
});
