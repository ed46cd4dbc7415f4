import { route } from "@/app/_server/route";
import { cancelSchedule } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/schedules/{id}", {
  DELETE: ({ ctx, params }) => cancelSchedule(ctx, { id: params.id }),
});
