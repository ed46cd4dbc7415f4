import { route } from "@/app/_server/route";
import { getApprovalSetting, setApprovalSetting } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/approval", {
  GET: ({ ctx }) => getApprovalSetting(ctx),
  PUT: ({ ctx, body }) => setApprovalSetting(ctx, body),
});
