import { route } from "@/app/_server/route";
import { removePerson, updatePerson } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/people/{id}", {
  PATCH: ({ ctx, params, body }) => updatePerson(ctx, { ...body, ...params }),
  DELETE: ({ ctx, params }) => removePerson(ctx, params),
});
