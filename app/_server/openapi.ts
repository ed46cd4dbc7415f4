import { z } from "zod";
import { ApiProblemSchema } from "@/lib/core/api/problem";
import { METHODS, type Operation } from "./operation";
import { ROUTES } from "./route-table";
import { componentSchemas, type JsonSchema, nameOf } from "./schema-names";

export type OpenApiDocument = {
  openapi: string;
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: object };
  [member: string]: unknown;
};

let document: OpenApiDocument | undefined;

/** OpenAPI 3.1 of `/api/v1`, from the table and the schemas that the handlers are held to. */
export function openApiDocument(): OpenApiDocument {
  document ??= makeDocument();
  return document;
}

function makeDocument(): OpenApiDocument {
  return {
    openapi: "3.1.0",
    info: {
      title: "Headgate",
      version: "1",
      description:
        "Author, watch, enforce and roll back rate-limit rules. Errors are RFC 9457 problems; lists are `{items, next?}`, `next` being the `cursor` of the following page.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/api/v1" }],
    tags: [
      { name: "Rules", description: "What is live, and what it rejects or would reject." },
      { name: "Draft", description: "The caller's own unpublished edits, and publishing them." },
      { name: "Approval", description: "Changes that wait for a second person." },
      { name: "Versions", description: "Every published state, and going back to one." },
      { name: "Fleet", description: "Gateways and the documents that they load." },
      { name: "Keys", description: "API keys of the clients that are limited." },
      { name: "Overrides", description: "Limits that beat the plan's, until they expire." },
      { name: "Clients", description: "Why a client was limited, and giving it its tokens back." },
      { name: "Log", description: "Audit and alerts." },
      { name: "People", description: "Who signs in to the console, and the tokens of programs." },
      { name: "System", description: "The API itself." },
    ],
    paths: Object.fromEntries(
      Object.entries(ROUTES).map(([path, item]) => [path, pathItem(path, item)]),
    ),
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "An API token of the scope that the operation names, or the bootstrap token.",
        },
      },
      schemas: componentSchemas(),
    },
  };
}

function pathItem(path: string, item: Partial<Record<string, Operation>>): Record<string, object> {
  const operations = METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined
      ? []
      : [[method.toLowerCase(), documented(`${method} ${path}`, operation)] as const];
  });
  return Object.fromEntries(operations);
}

function documented(name: string, operation: Operation): object {
  const { summary, description, tag, scope, params, query, body, isBodyOptional } = operation;
  const parameters = [
    ...parametersOf(params, "path"),
    ...parametersOf(query, "query"),
    ...headersOf(name, operation),
  ];
  const needs = scope === "none" ? "No token." : `Scope ${scope}.`;
  return {
    operationId: operationId(name),
    summary,
    description: [description, needs].filter((text) => text !== undefined).join(" "),
    tags: [tag],
    security: scope === "none" ? [] : [{ token: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: isBodyOptional !== true,
        content: { "application/json": { schema: reference(nameOf(body, "input")) } },
      },
    }),
    responses: responsesOf(name, operation),
  };
}

const HEADERS = {
  "Idempotency-Key":
    "Names this request: a repetition within 24 hours gets the stored answer (`Idempotency-Replayed: true`, without secrets), another request under the same key 422, one that is still being done 409.",
  "If-None-Match": "The ETag of an earlier answer: 304 when it is the same.",
  "If-Match": "The ETag of GET: 412 when the object changed since.",
} as const;

function headersOf(name: string, { scope, hasPrecondition }: Operation): object[] {
  const header = (of: keyof typeof HEADERS) => ({
    name: of,
    in: "header",
    required: false,
    description: HEADERS[of],
    schema: { type: "string" },
  });
  return [
    ...(name.startsWith("POST") && scope !== "none" ? [header("Idempotency-Key")] : []),
    ...(name.startsWith("GET") ? [header("If-None-Match")] : []),
    ...(hasPrecondition === true ? [header("If-Match")] : []),
  ];
}

function responsesOf(name: string, operation: Operation): object {
  const {
    accepted,
    status,
    media,
    alsoStatus,
    conflict,
    scope,
    query,
    body,
    params,
    isNotFoundPossible,
  } = operation;
  const content = contentOf(operation);
  const isCheckable = query !== undefined || body !== undefined || params !== undefined;
  return {
    [status]: { description: media?.description ?? (status === 201 ? "Made." : "Done."), content },
    ...(accepted !== undefined && {
      202: {
        description: "Nothing was made yet: a second person must approve the change request.",
        content: { "application/json": { schema: reference(nameOf(accepted, "output")) } },
      },
    }),
    ...(name.startsWith("GET") && {
      304: { description: "Nothing changed since If-None-Match." },
    }),
    ...(alsoStatus !== undefined && {
      [alsoStatus.status]: { description: alsoStatus.description, content },
    }),
    ...(body !== undefined && { 400: problem("The body is not JSON.") }),
    ...(scope !== "none" && {
      401: problem("No token, or one that is not known here."),
      403: problem("The token's scope does not go that far."),
    }),
    ...(isNotFoundPossible === true && { 404: problem("There is no such thing.") }),
    ...(conflict !== undefined && {
      409: problem(conflict.description, conflict.schema),
    }),
    ...(conflict === undefined &&
      name.startsWith("POST") &&
      scope !== "none" && {
        409: problem("The same Idempotency-Key is being worked on, or its answer was lost."),
      }),
    ...(operation.hasPrecondition === true && {
      412: problem("The object is not what If-Match or If-None-Match says."),
    }),
    ...(isCheckable && { 422: problem("Bad input: `errors` has a sentence per wrong field.") }),
    default: problem("Any other failure."),
  };
}

function contentOf({ media, answer, events }: Operation): object {
  if (media !== undefined)
    return { [media.type]: { schema: { type: "string", contentMediaType: media.type } } };
  return answer === undefined
    ? {}
    : {
        "application/json": { schema: reference(nameOf(answer, "output")) },
        ...(events !== undefined && {
          "text/event-stream": { schema: { type: "string", description: events } },
        }),
      };
}

function problem(description: string, schema: z.ZodType = ApiProblemSchema): object {
  const content = { "application/problem+json": { schema: reference(nameOf(schema, "output")) } };
  return { description, content };
}

function parametersOf(schema: z.ZodType | undefined, place: "path" | "query"): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as JsonSchema;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** `GET /rules/{id}/report` as `getRulesIdReport`. */
function operationId(name: string): string {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return words
    .map((word, i) => (i === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .join("");
}
