import { route } from "@/app/_server/route";
import { getCandidatePreview } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/candidate/preview", {
  GET: ({ ctx, params }) => getCandidatePreview(ctx, params),
});
