import { route } from "@/app/_server/route";
import { rollbackVersion } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/versions/{n}/rollback", {
  POST: ({ ctx, params, body }) => rollbackVersion(ctx, { ...body, number: params.n }),
});
