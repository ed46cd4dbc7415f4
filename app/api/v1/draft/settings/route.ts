import { answerDraftItem, seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/settings", {
  GET: ({ ctx, request }) => answerDraftItem(ctx, request, { kind: "settings", id: "settings" }),
  PUT: ({ ctx, request, query, body }) =>
    putDraftItem(ctx, { kind: "settings", id: "settings", body, ...seenOf(query, request) }),
  DELETE: ({ ctx, request, query }) =>
    deleteDraftItem(ctx, { kind: "settings", id: "settings", ...seenOf(query, request) }),
});
