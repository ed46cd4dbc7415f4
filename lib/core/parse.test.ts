import { expect, test } from "vitest";
import { z } from "zod";
import { DirectoryQuerySchema } from "./api/directory";
import { PublishRequestSchema } from "./api/publish";
import { AppError, type FieldError } from "./errors";
import { AmountSchema } from "./limit";
import { parseInput } from "./parse";
import { CostSchema, RuleSchema } from "./rule";

function errorsOf(schema: z.ZodType, input: unknown): FieldError[] {
  try {
    parseInput(schema, input, "the input");
  } catch (error) {
    if (error instanceof AppError) return error.errors;
    throw error;
  }
  return [];
}

const Sample = z.strictObject({
  limit: z.strictObject({ rate: z.int() }),
  list: z.enum(["allow", "deny", "flood"]),
  schema: z.literal(1),
  on: z.boolean(),
  ids: z.array(z.string()),
});

test("a schema without a sentence of its own still says what was received and what is allowed", () => {
  expect(errorsOf(Sample, { list: "x", schema: 2, on: "yes", ids: [7] })).toEqual([
    { path: "limit", message: "limit must be an object, got nothing" },
    { path: "list", message: 'list must be one of allow, deny, flood, got "x"' },
    { path: "schema", message: "schema must be 1, got 2" },
    { path: "on", message: 'on must be true or false, got "yes"' },
    { path: "ids.0", message: "each of ids must be text, got 7" },
  ]);
  expect(errorsOf(RuleSchema, [])).toEqual([
    { path: "", message: "it must be an object, got a list of 0" },
  ]);
});

test("a schema's own sentence is kept", () => {
  expect(errorsOf(PublishRequestSchema, { message: "x" })).toEqual([
    {
      path: "baseVersion",
      message: "baseVersion must be a whole number 0..2147483647, got nothing",
    },
  ]);
});

test("text of the wrong form is told the form, where something else is allowed, too", () => {
  expect(errorsOf(DirectoryQuerySchema, { since: "x" })).toEqual([
    { path: "since", message: "since must be <epoch>.<seq>, such as 1767225600.42" },
  ]);
});

test("of the forms that a value may have, the nearest one says what is wrong", () => {
  const messages = (input: unknown) => errorsOf(AmountSchema, input).map(({ message }) => message);
  expect(messages({ concurrent: 0 })).toEqual([
    "concurrent must be a whole number 1..1000000, got 0",
  ]);
  expect(messages({ rate: 0, per: "1mo" })).toEqual([
    "rate must be a whole number 1..4000000000, got 0",
  ]);
  expect(messages({ rate: 0, per: "1m", burst: 1 })).toEqual([
    "rate must be a whole number 1..1000000000, got 0",
  ]);
  expect(errorsOf(CostSchema, { header: "", default: 2 })).toEqual([
    { path: "header", message: 'a header name is 1..64 letters, digits and hyphens, got ""' },
  ]);
});
