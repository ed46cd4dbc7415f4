import {
  ClientDetailSchema,
  ClientQuerySchema,
  ClientResetRequestSchema,
  ClientResetSchema,
  ClientSearchQuerySchema,
  ClientSearchSchema,
} from "@/lib/core/api/clients";
import { idParams, type PathTable } from "./operation";
import { input, output } from "./schema-names";

/** Who is limited, why, and what support may do about it. */
export const CLIENT_ROUTES = {
  "/clients": {
    GET: {
      summary: "Find clients by key prefix, customer, address or request id",
      tag: "Clients",
      scope: "read",
      query: ClientSearchQuerySchema,
      status: 200,
      answer: output("ClientSearch", ClientSearchSchema),
    },
  },
  "/clients/{id}": {
    GET: {
      summary: "Why a client was limited, or why it was not",
      description:
        "Rules as they are tried, buckets as they are now, the last hits of the log. Buckets are read, never charged; `buckets` is null while their Redis does not answer.",
      tag: "Clients",
      scope: "read",
      params: idParams,
      query: ClientQuerySchema,
      status: 200,
      answer: output("ClientDetail", ClientDetailSchema),
      isNotFoundPossible: true,
    },
  },
  "/clients/{id}/reset": {
    POST: {
      summary: "Fill a client's buckets",
      description:
        "Its own, and of a key those of its customer. What others are counted in, too, and requests in flight stay.",
      tag: "Clients",
      scope: "reset",
      params: idParams,
      body: input("ClientResetRequest", ClientResetRequestSchema),
      status: 200,
      answer: output("ClientReset", ClientResetSchema),
      isNotFoundPossible: true,
    },
  },
} as const satisfies PathTable;
