import { route } from "@/app/_server/route";
import { getConvergence } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/versions/{n}/convergence", {
  GET: ({ ctx, params }) => getConvergence(ctx, { number: params.n }),
});
