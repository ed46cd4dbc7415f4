import { downloadResponse } from "@/app/_server/download";
import { route } from "@/app/_server/route";
import { exportAudit } from "@/lib/control";

const TYPES = { csv: "text/csv; charset=utf-8", json: "application/json" };

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/audit/export", {
  GET: async ({ ctx, query }) => {
    const { format, chunks } = exportAudit(ctx, query);
    const day = new Date(ctx.clock.nowMs()).toISOString().slice(0, 10);
    const name = `headgate-audit-${ctx.environment}-${day}.${format}`;
    return downloadResponse({ name, type: TYPES[format], chunks });
  },
});
