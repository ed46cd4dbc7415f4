import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { openApiDocument } from "./openapi";
import { ROUTES } from "./route-table";

const folder = fileURLToPath(new URL("../api/v1", import.meta.url));
const CATCH_ALL = "/[[...path]]";

const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("route.ts"))
  .map((file) => ({
    path: `/${dirname(file)}`.replaceAll(/\[(\w+)\]/g, "{$1}"),
    text: readFileSync(join(folder, file), "utf8"),
  }));

test("the document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(openApiDocument()));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("a broken document is told from a valid one", async () => {
  const broken = { ...structuredClone(openApiDocument()), paths: { "/x": { get: { tags: 1 } } } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

test("every route file is described, and every described path has its file", () => {
  const served = files.map(({ path }) => path).filter((path) => path !== CATCH_ALL);
  expect(served.sort()).toEqual(Object.keys(ROUTES).sort());
});

test.each(files.filter(({ path }) => path !== CATCH_ALL))(
  "$path serves its own row of the table",
  ({ path, text }) => {
    expect(text).toContain("export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(");
    expect(text).toContain(`route("${path}", {`);
  },
);

test("every reference leads somewhere, and every schema is referred to", () => {
  const { components, paths } = openApiDocument();
  const text = JSON.stringify({ components, paths });
  const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name,
  );
  expect([...new Set(referred)].sort()).toEqual(Object.keys(components.schemas).sort());
});

test("operations have ids of their own, and tell who may call them", () => {
  const operations = Object.values(openApiDocument().paths).flatMap((item) =>
    Object.values(item),
  ) as {
    operationId: string;
    security: object[];
  }[];
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const open = operations.filter(({ security }) => security.length === 0);
  expect(open.map(({ operationId }) => operationId).sort()).toEqual([
    "getHealth",
    "getOpenapiJson",
  ]);
});
