import { route } from "@/app/_server/route";
import { diffVersions } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/versions/{n}/diff/{b}", {
  GET: ({ ctx, params }) => diffVersions(ctx, { from: params.n, to: params.b }),
});
