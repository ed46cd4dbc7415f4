import { route } from "@/app/_server/route";
import { rebaseDraft } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft/rebase", {
  POST: ({ ctx }) => rebaseDraft(ctx),
});
