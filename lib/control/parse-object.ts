import { z } from "zod";
import { type ObjectKind, ObjectKindSchema } from "@/lib/core/api/change";
import { CandidateSchema } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import { LIST_NAMES, type ListName, type Lists, ListsSchema } from "@/lib/core/list-entry";
import { oneOf, parseInput, shown } from "@/lib/core/parse";
import { PlanSchema } from "@/lib/core/plan";
import { RuleSchema } from "@/lib/core/rule";
import { BodySchema, SettingsSchema } from "@/lib/core/ruleset";
import type { RulesetObject } from "@/lib/core/ruleset-objects";

const shape = BodySchema.shape;
/** `{items: [...]}` or the list itself. */
const routesInput = z.union([shape.routes, z.strictObject({ items: shape.routes })]);
const ListNameSchema = oneOf("list", LIST_NAMES);

/** Reads one object of a draft. Throws `invalid` with one sentence per wrong field, paths within the object. */
export function parseObject(input: { kind: ObjectKind; id: string; body: unknown }): RulesetObject {
  const kind = parseInput(ObjectKindSchema, input.kind, "the kind");
  switch (kind) {
    case "rule":
      return named({ kind, body: parseInput(RuleSchema, withId(input), "the rule") }, input.id);
    case "candidate":
      return named(
        { kind, body: parseInput(CandidateSchema, withRuleId(input), "the candidate") },
        input.id,
      );
    case "plan":
      return named({ kind, body: parseInput(PlanSchema, withId(input), "the plan") }, input.id);
    case "routes": {
      const routes = parseInput(routesInput, input.body, "routes");
      return { kind, id: "routes", body: Array.isArray(routes) ? routes : routes.items };
    }
    case "lists": {
      const id = parseInput(ListNameSchema, input.id, "the list's name");
      return { kind, id, body: parseList(id, input.body) };
    }
    case "settings":
      return {
        kind,
        id: "settings",
        body: parseInput(SettingsSchema, input.body ?? {}, "the settings"),
      };
  }
}

/** The id is in the address already: a body may leave it out, but not contradict it. */
function withId({ id, body }: { id: string; body: unknown }): unknown {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  return isObject ? { id, ...body } : body;
}

/** A candidate has its rule's id, and so has the rule in it. */
function withRuleId({ id, body }: { id: string; body: unknown }): unknown {
  const whole = withId({ id, body });
  const { rule } = Object(whole);
  return rule === undefined ? whole : { ...Object(whole), rule: withId({ id, body: rule }) };
}

function named<T extends { kind: "rule" | "candidate" | "plan"; body: { id: string } }>(
  object: T,
  id: string,
): T & { id: string } {
  if (object.body.id === id) return { ...object, id };
  const message = `id must be ${shown(id)} as in the address, got ${shown(object.body.id)}: an id never changes`;
  throw new AppError("invalid", message, { errors: [{ path: "id", message }] });
}

/** The entries themselves, or a list as the API answers them. Nothing at all is not an empty list. */
function parseList(id: ListName, body: unknown): Lists[ListName] {
  const isItems = typeof body === "object" && body !== null && "items" in body;
  const schema: z.ZodType<Lists[ListName]> = ListsSchema.shape[id].unwrap();
  return parseInput(schema, isItems ? body.items : body, `the ${id} list`);
}
