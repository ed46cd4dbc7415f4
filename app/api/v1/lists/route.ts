import { route } from "@/app/_server/route";
import { getLists } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/lists", {
  GET: ({ ctx }) => getLists(ctx),
});
