import { downloadResponse, EXPORT_TYPES } from "@/app/_server/download";
import { route } from "@/app/_server/route";
import { exportHits } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/hits/export", {
  GET: async ({ ctx, params, query }) => {
    const { format, chunks } = exportHits(ctx, { ...query, ...params });
    const day = new Date(ctx.clock.nowMs()).toISOString().slice(0, 10);
    const name = `headgate-hits-${params.id}-${ctx.environment}-${day}.${format}`;
    return downloadResponse({ name, type: EXPORT_TYPES[format], chunks });
  },
});
