import { route } from "@/app/_server/route";
import { getDraft } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/draft", {
  GET: ({ ctx }) => getDraft(ctx),
});
