import { answerDraftItem, seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/candidates/{id}", {
  GET: ({ ctx, request, params }) =>
    answerDraftItem(ctx, request, { kind: "candidate", id: params.id }),
  PUT: ({ ctx, request, params, query, body }) =>
    putDraftItem(ctx, { kind: "candidate", id: params.id, body, ...seenOf(query, request) }),
  DELETE: ({ ctx, request, params, query }) =>
    deleteDraftItem(ctx, { kind: "candidate", id: params.id, ...seenOf(query, request) }),
});
