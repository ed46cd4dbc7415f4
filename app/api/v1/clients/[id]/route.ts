import { route } from "@/app/_server/route";
import { getClient } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/clients/{id}", {
  GET: ({ ctx, params, query }) => getClient(ctx, { ...query, ...params }),
});
