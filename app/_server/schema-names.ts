import { z } from "zod";
import { CandidateDetailSchema } from "@/lib/core/api/candidate";
import { LintFindingSchema, ObjectChangeSchema } from "@/lib/core/api/change";
import { ActorSchema } from "@/lib/core/api/common";
import { DraftChangeSchema } from "@/lib/core/api/draft";
import { HitRowSchema } from "@/lib/core/api/hits";
import { ApiProblemSchema } from "@/lib/core/api/problem";
import { CoverageSchema } from "@/lib/core/api/report";
import { RuleHitsSchema, RuleRowSchema } from "@/lib/core/api/rules";
import { ConvergenceSummarySchema, VersionRowSchema } from "@/lib/core/api/versions";
import { PlanSchema } from "@/lib/core/plan";
import { RuleSchema } from "@/lib/core/rule";
import { BodySchema, SettingsSchema } from "@/lib/core/ruleset";

type Names = z.core.$ZodRegistry<{ id: string }>;
export type JsonSchema = {
  properties?: Record<string, JsonSchema>;
  required?: string[];
  [keyword: string]: unknown;
};

// A schema with defaults is two: what callers may leave out, answers always hold.
const outputs: Names = z.registry<{ id: string }>();
const inputs: Names = z.registry<{ id: string }>();

/** Names the schema of an answer in the documentation. */
export function output<S extends z.ZodType>(name: string, schema: S): S {
  outputs.add(schema, { id: name });
  return schema;
}

/** Names the schema of a request's body. */
export function input<S extends z.ZodType>(name: string, schema: S): S {
  inputs.add(schema, { id: name });
  return schema;
}

export function nameOf(schema: z.ZodType, io: "input" | "output"): string {
  const name = (io === "input" ? inputs : outputs).get(schema)?.id;
  if (name === undefined) throw new Error(`a schema of the table has no ${io} name`);
  return name;
}

output("Problem", ApiProblemSchema);
output("Actor", ActorSchema);
output("Rule", RuleSchema);
output("Plan", PlanSchema);
output("Settings", SettingsSchema);
output("Ruleset", BodySchema);
output("RuleRow", RuleRowSchema);
output("RuleHits", RuleHitsSchema);
output("VersionRow", VersionRowSchema);
output("ConvergenceSummary", ConvergenceSummarySchema);
output("ObjectChange", ObjectChangeSchema);
output("DraftChange", DraftChangeSchema);
output("LintFinding", LintFindingSchema);
output("Hit", HitRowSchema);
output("Coverage", CoverageSchema);
output("Candidate", CandidateDetailSchema);

/** `components.schemas`, each named schema once. */
export function componentSchemas(): Record<string, JsonSchema> {
  return { ...schemasOf(outputs, "output"), ...schemasOf(inputs, "input") };
}

function schemasOf(names: Names, io: "input" | "output"): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(names, {
    io,
    unrepresentable: "any",
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema as JsonSchema]),
  );
}
