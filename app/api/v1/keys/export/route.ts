import { downloadResponse } from "@/app/_server/download";
import { route } from "@/app/_server/route";
import { exportKeys } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/keys/export", {
  GET: ({ ctx, query }) => {
    const day = new Date(ctx.clock.nowMs()).toISOString().slice(0, 10);
    const name = `headgate-keys-${ctx.environment}-${day}.csv`;
    return downloadResponse({
      name,
      type: "text/csv; charset=utf-8",
      chunks: exportKeys(ctx, query),
    });
  },
});
