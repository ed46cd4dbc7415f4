import { route } from "@/app/_server/route";
import { searchClients } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/clients", {
  GET: ({ ctx, query }) => searchClients(ctx, query),
});
