import { randomUUID } from "node:crypto";
import { jsonResponse } from "@/app/_server/respond";
import { route } from "@/app/_server/route";
import { getHealth } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/health", {
  GET: async ({ ctx }) => {
    const health = await getHealth(ctx);
    const status = health.status === "unavailable" ? 503 : 200;
    return jsonResponse(health, { status, requestId: randomUUID() });
  },
});
