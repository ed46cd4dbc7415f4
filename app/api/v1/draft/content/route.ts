import { route } from "@/app/_server/route";
import { getDraftContent, putDraftContent } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/content", {
  GET: ({ ctx }) => getDraftContent(ctx),
  PUT: ({ ctx, body }) => putDraftContent(ctx, body),
});
