import { route } from "@/app/_server/route";
import { discardDraft } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/discard", {
  POST: ({ ctx }) => discardDraft(ctx),
});
