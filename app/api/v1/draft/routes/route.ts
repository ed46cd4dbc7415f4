import { answerDraftItem, seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/routes", {
  GET: ({ ctx, request }) => answerDraftItem(ctx, request, { kind: "routes", id: "routes" }),
  PUT: ({ ctx, request, query, body }) =>
    putDraftItem(ctx, { kind: "routes", id: "routes", body, ...seenOf(query, request) }),
  DELETE: ({ ctx, request, query }) =>
    deleteDraftItem(ctx, { kind: "routes", id: "routes", ...seenOf(query, request) }),
});
