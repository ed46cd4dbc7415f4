import { openApiDocument } from "@/app/_server/openapi";
import { route } from "@/app/_server/route";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/openapi.json", {
  GET: async () => openApiDocument(),
});
