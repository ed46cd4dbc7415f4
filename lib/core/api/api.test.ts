import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tokenBucketRule } from "../../testing/rules";
import { instantInput, oneOrMore, PageQuerySchema } from "./common";
import { DirectoryQuerySchema } from "./directory";
import { GatewayReportSchema } from "./gateways";
import { KeyPatchRequestSchema } from "./keys";
import { ModeRequestSchema, PublishRequestSchema } from "./publish";
import { ReportQuerySchema } from "./report";
import { RuleDetailSchema } from "./rules";

const modules = import.meta.glob("./*.ts", { eager: true }) as Record<
  string,
  Record<string, unknown>
>;
const schemas = Object.entries(modules).flatMap(([file, exports]) =>
  Object.entries(exports)
    .filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType)
    .map(([name, schema]) => [`${file} ${name}`, schema] as const),
);

describe("the API's shapes", () => {
  test("there are some", () => {
    expect(schemas.length).toBeGreaterThan(50);
  });

  test.each(schemas)("%s can be written as JSON Schema, for OpenAPI", (_, schema) => {
    const json = z.toJSONSchema(schema, { io: "input", target: "openapi-3.0" });
    expect(json).toBeTypeOf("object");
  });
});

const from = z.object({ from: instantInput("from") });

describe("an instant in a request", () => {
  test.each([
    ["2026-01-31T02:51:07Z", "2026-01-31T02:51:07.000Z"],
    ["2026-01-31T03:51:07.250+01:00", "2026-01-31T02:51:07.250Z"],
    ["1769827867000", "2026-01-31T02:51:07.000Z"],
    [1769827867000, "2026-01-31T02:51:07.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(from.parse({ from: text })).toEqual({ from: expected });
  });

  test.each(["yesterday", "", "2026-13-01T00:00:00Z", "2026-01-31", "-5"])(
    "%j is refused by name",
    (text) => {
      const result = from.safeParse({ from: text });
      expect(result.error?.issues[0]?.message).toContain("from must be an instant");
      expect(result.error?.issues[0]?.message).toContain(JSON.stringify(text));
    },
  );
});

describe("requests", () => {
  test("a page has at most 500 rows and 100 by default", () => {
    expect(PageQuerySchema.parse({}).limit).toBe(100);
    expect(PageQuerySchema.parse({ limit: "500" }).limit).toBe(500);
    expect(PageQuerySchema.safeParse({ limit: "501" }).error?.issues[0]?.message).toBe(
      "limit must be a whole number 1..500, got 501",
    );
  });

  test("a repeated query value is a list, and so is a single one", () => {
    const mode = oneOrMore(z.enum(["a", "b"]));
    expect(mode.parse("a")).toEqual(["a"]);
    expect(mode.parse(["a", "b"])).toEqual(["a", "b"]);
  });

  test("a publish needs a message and the base that was looked at", () => {
    expect(PublishRequestSchema.safeParse({ message: " ", baseVersion: 3 }).success).toBe(false);
    expect(PublishRequestSchema.safeParse({ message: "x" }).success).toBe(false);
    expect(PublishRequestSchema.parse({ message: " lower ", baseVersion: 3 })).toEqual({
      message: "lower",
      baseVersion: 3,
    });
  });

  test("an unknown field is refused, not ignored", () => {
    const result = ModeRequestSchema.safeParse({
      mode: "enforce",
      reason: "x",
      expectedVersion: 4,
    });
    expect(result.success).toBe(false);
  });

  test("a wrong mode names the modes", () => {
    const result = ModeRequestSchema.safeParse({ mode: "on", reason: "x" });
    expect(result.error?.issues[0]?.message).toBe(
      'mode must be one of off, shadow, enforce, got "on"',
    );
  });

  test("an empty key patch and an empty gateway report are refused", () => {
    expect(KeyPatchRequestSchema.safeParse({}).success).toBe(false);
    expect(KeyPatchRequestSchema.safeParse({ name: "x" }).success).toBe(true);
    expect(GatewayReportSchema.safeParse({}).success).toBe(false);
  });

  test("since is a directory position", () => {
    expect(DirectoryQuerySchema.parse({ since: "1767225600.42" }).since).toEqual({
      epoch: 1767225600,
      seq: 42,
    });
    expect(DirectoryQuerySchema.safeParse({ since: "42" }).success).toBe(false);
  });

  test("a report may be asked for one revision", () => {
    expect(ReportQuerySchema.parse({ revision: "7" }).revision).toBe(7);
  });
});

test("a rule goes through the API unchanged", () => {
  const rule = tokenBucketRule({ match: { headers: { "x-tier": ["beta"] } } });
  expect(RuleDetailSchema.shape.rule.parse(rule)).toEqual(rule);
});
