import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TestDatabase } from "../testing/postgres";
import { createTestDatabase } from "../testing/services";

const FieldSchema = z.object({
  name: z.string(),
  dbName: z.string().nullish(),
  kind: z.enum(["scalar", "object", "enum"]),
  type: z.string(),
  isList: z.boolean(),
  isRequired: z.boolean(),
  isUpdatedAt: z.boolean(),
  default: z.unknown().optional(),
  nativeType: z.tuple([z.string(), z.array(z.string())]).nullish(),
  relationFromFields: z.array(z.string()).nullish(),
  relationToFields: z.array(z.string()).nullish(),
});
const DatamodelSchema = z.object({
  models: z.array(
    z.object({ name: z.string(), dbName: z.string().nullish(), fields: z.array(FieldSchema) }),
  ),
  indexes: z.array(
    z.object({
      model: z.string(),
      type: z.enum(["id", "unique", "normal"]),
      fields: z.array(z.object({ name: z.string() })),
    }),
  ),
});
type Field = z.output<typeof FieldSchema>;

/** What the schema language cannot say, by name: everything else in the database must be in the schema. */
const EXTRA_INDEXES = [
  "alert kind,subject unique where (resolved_at IS NULL)",
  "api_key customer_id normal where (revoked_at IS NULL)",
  "candidate_ramp rule_id unique where (state = ANY (ARRAY['running'::text, 'paused'::text]))",
  "customer id normal",
  "key_secret expires_at normal where ((expires_at IS NOT NULL) AND (revoked_at IS NULL))",
  "key_secret prefix normal",
];

const TYPES: Record<string, string> = {
  String: "text",
  Int: "integer",
  BigInt: "bigint",
  Boolean: "boolean",
  Json: "jsonb",
  Bytes: "bytea",
};

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const datamodel = readDatamodel();
const tables = new Map(datamodel.models.map((model) => [model.name, model.dbName ?? model.name]));

test("the migrations make exactly the columns that the schema says", async () => {
  const { rows } = await client.query<{ line: string }>(`
    SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attnotnull OR a.attndims > 0 THEN '' ELSE ' null' END
      || CASE WHEN d.adbin IS NULL THEN '' ELSE ' default' END AS line
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
      AND NOT a.attisdropped AND c.relname <> '_prisma_migrations'`);
  const wanted = datamodel.models.flatMap((model) =>
    model.fields
      .filter(({ kind }) => kind !== "object")
      .map((field) => `${tables.get(model.name)}.${columnOf(field)} ${typeOf(field)}`),
  );
  expect(rows.map(({ line }) => line).sort()).toEqual(wanted.sort());
});

test("the migrations make exactly the keys and indexes that the schema says", async () => {
  const { rows } = await client.query<{ line: string }>(`
    SELECT t.relname || ' ' || string_agg(a.attname, ',' ORDER BY k.position)
      || CASE WHEN i.indisprimary THEN ' id' WHEN i.indisunique THEN ' unique' ELSE ' normal' END
      || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid), '') AS line
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, position)
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
    WHERE t.relnamespace = 'public'::regnamespace AND NOT t.relispartition
      AND t.relname <> '_prisma_migrations'
    GROUP BY t.relname, i.indexrelid, i.indisprimary, i.indisunique, i.indpred, i.indrelid`);
  const wanted = datamodel.indexes.map(({ model, type, fields }) => {
    const columns = fields.map(({ name }) => columnNamed(model, name)).join(",");
    return `${tables.get(model)} ${columns} ${type}`;
  });
  expect(rows.map(({ line }) => line).sort()).toEqual([...wanted, ...EXTRA_INDEXES].sort());
});

test("the migrations make exactly the references that the schema says", async () => {
  const { rows } = await client.query<{ line: string }>(`
    SELECT conrelid::regclass::text || ' -> ' || confrelid::regclass::text AS line
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`);
  const wanted = datamodel.models.flatMap((model) =>
    model.fields
      .filter(({ relationFromFields }) => (relationFromFields ?? []).length > 0)
      .map(({ type }) => `${tables.get(model.name)} -> ${tables.get(type)}`),
  );
  const bare = rows.map(({ line }) => line.replaceAll('"', ""));
  expect(bare.sort()).toEqual(wanted.sort());
});

function columnOf({ name, dbName }: Field): string {
  return dbName ?? name;
}

function columnNamed(model: string, name: string): string {
  const fields = datamodel.models.find((each) => each.name === model)?.fields ?? [];
  const field = fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`no field ${model}.${name}`);
  return columnOf(field);
}

function typeOf(field: Field): string {
  const [native, [precision] = []] = field.nativeType ?? [undefined, []];
  const plain =
    native === "Timestamptz" ? `timestamp(${precision}) with time zone` : TYPES[field.type];
  if (plain === undefined) throw new Error(`${field.name} has a type that this test does not know`);
  // A list has no NOT NULL in Prisma's own migrations; `@updatedAt` needs no default but has one here.
  const nothing = field.isList || field.isRequired ? "" : " null";
  const hasDefault = field.default !== undefined && field.default !== null;
  return `${plain}${field.isList ? "[]" : ""}${nothing}${hasDefault ? " default" : ""}`;
}

function readDatamodel() {
  const require = createRequire(import.meta.url);
  const engine = z
    .object({
      get_dmmf: z.custom<(input: string) => string>((value) => typeof value === "function"),
    })
    .parse(require("@prisma/prisma-schema-wasm"));
  const file = fileURLToPath(new URL("../../prisma/schema.prisma", import.meta.url));
  const prismaSchema = [["schema.prisma", readFileSync(file, "utf8")]];
  const dmmf = JSON.parse(engine.get_dmmf(JSON.stringify({ prismaSchema })));
  return DatamodelSchema.parse(dmmf.datamodel);
}
