import { route } from "@/app/_server/route";
import { listSchedules, schedulePublish } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/schedules", {
  GET: ({ ctx, query }) => listSchedules(ctx, query),
  POST: ({ ctx, body }) => schedulePublish(ctx, body),
});
