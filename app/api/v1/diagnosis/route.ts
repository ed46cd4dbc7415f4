import { route } from "@/app/_server/route";
import { diagnose } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/diagnosis", {
  GET: ({ ctx }) => diagnose(ctx),
});
