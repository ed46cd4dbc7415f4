import { answerDraftItem, seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/plans/{id}", {
  GET: ({ ctx, request, params }) => answerDraftItem(ctx, request, { kind: "plan", id: params.id }),
  PUT: ({ ctx, request, params, query, body }) =>
    putDraftItem(ctx, { kind: "plan", id: params.id, body, ...seenOf(query, request) }),
  DELETE: ({ ctx, request, params, query }) =>
    deleteDraftItem(ctx, { kind: "plan", id: params.id, ...seenOf(query, request) }),
});
