import { route } from "@/app/_server/route";
import { getVersion } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/versions/{n}", {
  GET: ({ ctx, params }) => getVersion(ctx, { number: params.n }),
});
