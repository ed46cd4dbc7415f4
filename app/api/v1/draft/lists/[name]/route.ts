import { answerDraftItem, seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/lists/{name}", {
  GET: ({ ctx, request, params }) =>
    answerDraftItem(ctx, request, { kind: "lists", id: params.name }),
  PUT: ({ ctx, request, params, query, body }) =>
    putDraftItem(ctx, { kind: "lists", id: params.name, body, ...seenOf(query, request) }),
  DELETE: ({ ctx, request, params, query }) =>
    deleteDraftItem(ctx, { kind: "lists", id: params.name, ...seenOf(query, request) }),
});
