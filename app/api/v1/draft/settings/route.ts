import { seenOf } from "@/app/_server/draft-edit";
import { route } from "@/app/_server/route";
import { deleteDraftItem, putDraftItem } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/settings", {
  PUT: ({ ctx, query, body }) =>
    putDraftItem(ctx, { kind: "settings", id: "settings", body, ...seenOf(query) }),
  DELETE: ({ ctx, query }) =>
    deleteDraftItem(ctx, { kind: "settings", id: "settings", ...seenOf(query) }),
});
