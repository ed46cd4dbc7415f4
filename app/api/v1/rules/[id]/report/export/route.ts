import { downloadResponse, EXPORT_TYPES } from "@/app/_server/download";
import { route } from "@/app/_server/route";
import { exportReport } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/report/export", {
  GET: async ({ ctx, params, query }) => {
    const { format, chunks } = exportReport(ctx, { ...query, ...params });
    const day = new Date(ctx.clock.nowMs()).toISOString().slice(0, 10);
    const name = `headgate-report-${params.id}-${ctx.environment}-${day}.${format}`;
    return downloadResponse({ name, type: EXPORT_TYPES[format], chunks });
  },
});
