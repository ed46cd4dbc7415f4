import { route } from "@/app/_server/route";
import { diffDraftContent } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/content/diff", {
  POST: ({ ctx, body }) => diffDraftContent(ctx, body),
});
