import { seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/routes", {
  PUT: ({ ctx, query, body }) =>
    putDraftItem(ctx, { kind: "routes", id: "routes", body, ...seenOf(query) }),
  DELETE: ({ ctx, query }) =>
    deleteDraftItem(ctx, { kind: "routes", id: "routes", ...seenOf(query) }),
});
