import { route } from "@/app/_server/route";
import { listPlans } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/plans", {
  GET: ({ ctx }) => listPlans(ctx),
});
