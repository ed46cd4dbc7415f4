import { route } from "@/app/_server/route";
import { getOverrideRestore } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/versions/{n}/overrides", {
  GET: ({ ctx, params }) => getOverrideRestore(ctx, { number: params.n }),
});
