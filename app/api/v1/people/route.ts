import { route } from "@/app/_server/route";
import { listPeople } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/people", {
  GET: ({ ctx }) => listPeople(ctx),
});
