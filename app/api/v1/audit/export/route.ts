import { downloadResponse, EXPORT_TYPES } from "@/app/_server/download";
import { route } from "@/app/_server/route";
import { exportAudit } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/audit/export", {
  GET: async ({ ctx, query }) => {
    const { format, chunks } = exportAudit(ctx, query);
    const day = new Date(ctx.clock.nowMs()).toISOString().slice(0, 10);
    const name = `headgate-audit-${ctx.environment}-${day}.${format}`;
    return downloadResponse({ name, type: EXPORT_TYPES[format], chunks });
  },
});
