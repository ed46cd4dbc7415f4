import { route } from "@/app/_server/route";
import { getBacktestDemand } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/backtests/{id}/demand", {
  GET: async ({ ctx, params }) =>
    new Response(new Uint8Array(await getBacktestDemand(ctx, params)), {
      headers: {
        "content-type": "application/vnd.headgate.demand+gzip",
        // It never changes once it is there.
        "cache-control": "private, max-age=86400, immutable",
      },
    }),
});
