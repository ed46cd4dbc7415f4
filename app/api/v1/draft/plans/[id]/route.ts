import { seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/plans/{id}", {
  PUT: ({ ctx, params, query, body }) =>
    putDraftItem(ctx, { kind: "plan", id: params.id, body, ...seenOf(query) }),
  DELETE: ({ ctx, params, query }) =>
    deleteDraftItem(ctx, { kind: "plan", id: params.id, ...seenOf(query) }),
});
