import { orRequested } from "@/app/_server/or-requested";
import { route } from "@/app/_server/route";
import { setCandidateShare } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/candidate/share", {
  POST: ({ ctx, params, body }) => orRequested(setCandidateShare(ctx, { ...body, ...params })),
});
