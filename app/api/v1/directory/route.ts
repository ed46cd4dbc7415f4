import { route } from "@/app/_server/route";
import { getDirectory } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/directory", {
  GET: ({ ctx, query }) => getDirectory(ctx, query),
});
